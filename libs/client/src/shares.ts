/** Calls about tasks outside of their installation: exports, imports, and links for others. */
import {
  Deleted,
  EventPage,
  NewShare,
  ShareList,
  SharePreview,
  SharedTree,
  TaskView,
  type CreateShareInput,
  type ExportFormat,
  type SharedEventsQuery,
  type ShareView,
} from '@bullpen/contracts';
import { errorOf } from './errors.js';
import type { CallOptions, ChangeOptions } from './tasks.js';
import type { Transport } from './transport.js';

export class SharesClient {
  constructor(private readonly transport: Transport) {}

  /** What readers would not be shown. */
  preview(taskId: string, options: CallOptions = {}): Promise<SharePreview> {
    const path = `${taskPath(taskId)}/shares/preview`;
    return this.transport.call({ method: 'GET', path, answer: SharePreview, ...options });
  }

  /** Makes a link; it is told this once. */
  create(taskId: string, body: CreateShareInput = {}, options: CallOptions = {}): Promise<NewShare> {
    const path = `${taskPath(taskId)}/shares`;
    return this.transport.call({ method: 'POST', path, body, answer: NewShare, ...options });
  }

  async list(taskId: string, options: CallOptions = {}): Promise<ShareView[]> {
    const path = `${taskPath(taskId)}/shares`;
    return (await this.transport.call({ method: 'GET', path, answer: ShareList, ...options })).data;
  }

  /** Ends a link at once. */
  async revoke(id: string, options: CallOptions = {}): Promise<void> {
    const path = `/v1/shares/${encodeURIComponent(id)}`;
    await this.transport.call({ method: 'DELETE', path, answer: Deleted, ...options });
  }

  /** What the link shows; for a client whose key is the token of a share. */
  shared(options: CallOptions = {}): Promise<SharedTree> {
    return this.transport.call({ method: 'GET', path: '/v1/shared', answer: SharedTree, ...options });
  }

  sharedEvents(
    query: Partial<SharedEventsQuery> & { readonly taskId: string },
    options: CallOptions = {},
  ): Promise<EventPage> {
    const path = '/v1/shared/events';
    return this.transport.call({ method: 'GET', path, query, answer: EventPage, ...options });
  }

  /** Stores an exported task as one to read and to fork; `document` is what `export` gave as JSON. Throws `invalid_request` with the places of what is wrong in it. */
  import(document: unknown, options: ChangeOptions = {}): Promise<TaskView> {
    const path = '/v1/tasks/import';
    return this.transport.call({ method: 'POST', path, body: document, answer: TaskView, ...options });
  }

  /** A task and everything below it, as a document; `attachments`: in JSON, with the contents of its pictures and documents. Throws as every call does. */
  async export(
    taskId: string,
    format: ExportFormat,
    { signal, attachments = false }: CallOptions & { readonly attachments?: boolean } = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const response = await this.transport.send(`${taskPath(taskId)}/export`, {
      method: 'GET',
      query: { format, ...(attachments && { attachments }) },
      ...(signal && { signal }),
    });
    if (!response.ok) throw await errorOf(response, response.url);
    return response.body ?? new ReadableStream();
  }
}

function taskPath(id: string): string {
  return `/v1/tasks/${encodeURIComponent(id)}`;
}

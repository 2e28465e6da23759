/** Calls about the stored states of workspaces. */
import {
  CheckpointPage,
  CheckpointView,
  RestoreView,
  TaskDiff,
  TaskView,
  type ForkCheckpoint,
  type PageQuery,
  type RestoreTaskInput,
} from '@bullpen/contracts';
import { errorOf, UnexpectedAnswer } from './errors.js';
import type { CallOptions, ChangeOptions } from './tasks.js';
import type { Transport } from './transport.js';

/** `pack` holds both commits, and needs nothing else. */
export interface TaskChanges {
  readonly base: string;
  readonly newest: string;
  readonly pack: ReadableStream<Uint8Array>;
}

export class CheckpointsClient {
  constructor(private readonly transport: Transport) {}

  /** A page of a task's checkpoints, newest first. */
  list(taskId: string, query: Partial<PageQuery> = {}, options: CallOptions = {}): Promise<CheckpointPage> {
    const path = `/v1/tasks/${encodeURIComponent(taskId)}/checkpoints`;
    return this.transport.call({ method: 'GET', path, query, answer: CheckpointPage, ...options });
  }

  /** What a task changed, file by file. */
  diff(taskId: string, options: CallOptions = {}): Promise<TaskDiff> {
    const path = `/v1/tasks/${encodeURIComponent(taskId)}/diff`;
    return this.transport.call({ method: 'GET', path, answer: TaskDiff, ...options });
  }

  /** The same as a patch for `git apply`, piece by piece. Throws as every call does. */
  async patch(taskId: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return (await this.#bytes(taskId, 'patch', signal)).body;
  }

  /** The files before and after a task's work: a pack of git, and the commits in it. */
  async changes(taskId: string, signal?: AbortSignal): Promise<TaskChanges> {
    const { body, headers, url } = await this.#bytes(taskId, 'changes', signal);
    const [base, newest] = ['bullpen-base', 'bullpen-newest'].map((name) => headers.get(name));
    if (base == null || newest == null)
      throw new UnexpectedAnswer(url, 'it does not say which commits it holds');
    return { base, newest, pack: body };
  }

  /** What differs between two checkpoints; without `to`, from the newest state of the same workspace. */
  compare(id: string, to?: string, options: CallOptions = {}): Promise<TaskDiff> {
    const path = `/v1/checkpoints/${encodeURIComponent(id)}/diff`;
    return this.transport.call({ method: 'GET', path, query: comparedTo(to), answer: TaskDiff, ...options });
  }

  /** The same as a patch for `git apply`, piece by piece. */
  async comparePatch(id: string, to?: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const query = new URLSearchParams(comparedTo(to));
    return (await this.#get(`/v1/checkpoints/${encodeURIComponent(id)}/patch?${query}`, signal)).body;
  }

  /** The files of a checkpoint: a tar archive, compressed by gzip. */
  async archive(id: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return (await this.#get(`/v1/checkpoints/${encodeURIComponent(id)}/archive`, signal)).body;
  }

  /** The files of a task as they were stored last, likewise. */
  async archiveOfTask(taskId: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    return (await this.#bytes(taskId, 'archive', signal)).body;
  }

  #bytes(taskId: string, what: string, signal?: AbortSignal) {
    return this.#get(`/v1/tasks/${encodeURIComponent(taskId)}/${what}`, signal);
  }

  async #get(path: string, signal?: AbortSignal) {
    const response = await this.transport.send(path, { method: 'GET', ...(signal && { signal }) });
    if (!response.ok) throw await errorOf(response, response.url);
    const { body, headers, url } = response;
    if (body === null) throw new UnexpectedAnswer(url, 'it is empty');
    return { body, headers, url };
  }

  /** A new task that goes on from a checkpoint, with its files and the conversation up to it. */
  fork(id: string, body: ForkCheckpoint = {}, options: ChangeOptions = {}): Promise<TaskView> {
    const path = `/v1/checkpoints/${encodeURIComponent(id)}/fork`;
    return this.transport.call({ method: 'POST', path, body, answer: TaskView, ...options });
  }

  get(id: string, options: CallOptions = {}): Promise<CheckpointView> {
    const path = `/v1/checkpoints/${encodeURIComponent(id)}`;
    return this.transport.call({ method: 'GET', path, answer: CheckpointView, ...options });
  }

  /** Brings back files, conversation or both as at a checkpoint; without `dryRun: false` only says what that would change. */
  restore(taskId: string, body: RestoreTaskInput, options: ChangeOptions = {}): Promise<RestoreView> {
    const path = `/v1/tasks/${encodeURIComponent(taskId)}/restore`;
    return this.transport.call({ method: 'POST', path, body, answer: RestoreView, ...options });
  }

  /** What became of a restore. */
  restored(id: string, options: CallOptions = {}): Promise<RestoreView> {
    const path = `/v1/restores/${encodeURIComponent(id)}`;
    return this.transport.call({ method: 'GET', path, answer: RestoreView, ...options });
  }
}

function comparedTo(to: string | undefined): { to?: string } {
  return to === undefined ? {} : { to };
}

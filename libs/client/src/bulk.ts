/** Calls about bulk actions: one thing done to many tasks. */
import {
  BulkActionPage,
  BulkActionView,
  BulkItemPage,
  BulkPreview,
  type BulkItem,
  type CreateBulkActionInput,
  type ListBulkItems,
  type PageQuery,
} from '@bullpen/contracts';
import { itemsOf } from './pages.js';
import type { CallOptions, ChangeOptions } from './tasks.js';
import type { Transport } from './transport.js';

const PATH = '/v1/bulk-actions';

export class BulkActionsClient {
  constructor(private readonly transport: Transport) {}

  /** What it would do; nothing is done. */
  preview(body: CreateBulkActionInput, options: CallOptions = {}): Promise<BulkPreview> {
    return this.transport.call({
      method: 'POST',
      path: `${PATH}/preview`,
      body,
      answer: BulkPreview,
      ...options,
    });
  }

  /** Begins it. When this resolves, it cannot be lost. */
  create(body: CreateBulkActionInput, options: ChangeOptions = {}): Promise<BulkActionView> {
    return this.transport.call({ method: 'POST', path: PATH, body, answer: BulkActionView, ...options });
  }

  /** One page, newest first. */
  list(query: Partial<PageQuery> = {}, options: CallOptions = {}): Promise<BulkActionPage> {
    return this.transport.call({ method: 'GET', path: PATH, query, answer: BulkActionPage, ...options });
  }

  get(id: string, options: CallOptions = {}): Promise<BulkActionView> {
    return this.transport.call({ method: 'GET', path: pathOf(id), answer: BulkActionView, ...options });
  }

  /** What became of its tasks, in the order in which they are tried. */
  items(id: string, query: Partial<ListBulkItems> = {}, options: CallOptions = {}): Promise<BulkItemPage> {
    const path = `${pathOf(id)}/items`;
    return this.transport.call({ method: 'GET', path, query, answer: BulkItemPage, ...options });
  }

  /** All of them, page after page. */
  iterateItems(
    id: string,
    query: Omit<Partial<ListBulkItems>, 'after'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<BulkItem, void, undefined> {
    return itemsOf((after) => this.items(id, { ...query, ...(after !== undefined && { after }) }, options));
  }

  /** Leaves the tasks alone that it has not come to. */
  stop(id: string, options: ChangeOptions = {}): Promise<BulkActionView> {
    const path = `${pathOf(id)}/stop`;
    return this.transport.call({ method: 'POST', path, body: {}, answer: BulkActionView, ...options });
  }
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}

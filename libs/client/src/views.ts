/** Calls about saved views. */
import {
  Deleted,
  SavedView,
  SavedViewList,
  type CreateSavedViewInput,
  type UpdateSavedView,
} from '@bullpen/contracts';
import type { CallOptions, ChangeOptions } from './tasks.js';
import type { Transport } from './transport.js';

const PATH = '/v1/views';

export class ViewsClient {
  constructor(private readonly transport: Transport) {}

  /** Your own, and those that others of the tenant share. */
  async list(options: CallOptions = {}): Promise<SavedView[]> {
    return (await this.transport.call({ method: 'GET', path: PATH, answer: SavedViewList, ...options })).data;
  }

  create(body: CreateSavedViewInput, options: ChangeOptions = {}): Promise<SavedView> {
    return this.transport.call({ method: 'POST', path: PATH, body, answer: SavedView, ...options });
  }

  /** Changes what is given. */
  update(id: string, body: UpdateSavedView, options: CallOptions = {}): Promise<SavedView> {
    return this.transport.call({ method: 'PATCH', path: pathOf(id), body, answer: SavedView, ...options });
  }

  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.transport.call({ method: 'DELETE', path: pathOf(id), answer: Deleted, ...options });
  }
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}

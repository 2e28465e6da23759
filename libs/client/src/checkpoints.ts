/** Calls about the stored states of workspaces. */
import { CheckpointPage, CheckpointView, type PageQuery } from '@bullpen/contracts';
import type { CallOptions } from './tasks.js';
import type { Transport } from './transport.js';

export class CheckpointsClient {
  constructor(private readonly transport: Transport) {}

  /** A page of a task's checkpoints, newest first. */
  list(taskId: string, query: Partial<PageQuery> = {}, options: CallOptions = {}): Promise<CheckpointPage> {
    const path = `/v1/tasks/${encodeURIComponent(taskId)}/checkpoints`;
    return this.transport.call({ method: 'GET', path, query, answer: CheckpointPage, ...options });
  }

  get(id: string, options: CallOptions = {}): Promise<CheckpointView> {
    const path = `/v1/checkpoints/${encodeURIComponent(id)}`;
    return this.transport.call({ method: 'GET', path, answer: CheckpointView, ...options });
  }
}

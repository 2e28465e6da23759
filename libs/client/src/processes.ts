/** Calls about the commands of agents. */
import {
  ProcessOutput,
  ProcessPage,
  ProcessView,
  type OutputQuery,
  type PageQuery,
} from '@bullpen/contracts';
import type { CallOptions } from './tasks.js';
import type { Transport } from './transport.js';

export class ProcessesClient {
  constructor(private readonly transport: Transport) {}

  /** A page of a task's processes, newest first. */
  list(taskId: string, query: Partial<PageQuery> = {}, options: CallOptions = {}): Promise<ProcessPage> {
    const path = `/v1/tasks/${encodeURIComponent(taskId)}/processes`;
    return this.transport.call({ method: 'GET', path, query, answer: ProcessPage, ...options });
  }

  get(id: string, options: CallOptions = {}): Promise<ProcessView> {
    return this.transport.call({ method: 'GET', path: pathOf(id), answer: ProcessView, ...options });
  }

  /** A range of its output; `to` of the answer is where to read on. */
  output(id: string, query: Partial<OutputQuery> = {}, options: CallOptions = {}): Promise<ProcessOutput> {
    const path = `${pathOf(id)}/output`;
    return this.transport.call({ method: 'GET', path, query, answer: ProcessOutput, ...options });
  }

  /** Asks for its end; `get` says later what became of it. */
  kill(id: string, options: CallOptions = {}): Promise<ProcessView> {
    const path = `${pathOf(id)}/kill`;
    return this.transport.call({ method: 'POST', path, answer: ProcessView, ...options });
  }

  /** Its agent stops waiting for it. */
  toBackground(id: string, options: CallOptions = {}): Promise<ProcessView> {
    const path = `${pathOf(id)}/background`;
    return this.transport.call({ method: 'POST', path, answer: ProcessView, ...options });
  }
}

function pathOf(id: string): string {
  return `/v1/processes/${encodeURIComponent(id)}`;
}

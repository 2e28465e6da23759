/** Calls about the flow of work: queues, their samples, and workers. What changes it needs a key with the scope `admin`. */
import {
  QueueList,
  QueueSamples,
  QueueView,
  WorkerList,
  WorkerView,
  type ChangeFlow,
  type SamplesQuery,
} from '@bullpen/contracts';
import type { CallOptions, ChangeOptions } from './tasks.js';
import type { Transport } from './transport.js';

export class QueuesClient {
  constructor(private readonly transport: Transport) {}

  /** The queues as they stand. */
  async list(options: CallOptions = {}): Promise<QueueView[]> {
    return (await this.transport.call({ method: 'GET', path: '/v1/queues', answer: QueueList, ...options }))
      .data;
  }

  /** How they stood over time. */
  samples(query: Partial<SamplesQuery> = {}, options: CallOptions = {}): Promise<QueueSamples> {
    const path = '/v1/queues/samples';
    return this.transport.call({ method: 'GET', path, query, answer: QueueSamples, ...options });
  }

  /** Nothing starts or goes on any more; what runs is let run. */
  pause(name: string, body: ChangeFlow = {}, options: ChangeOptions = {}): Promise<QueueView> {
    return this.#change(name, 'pause', body, options);
  }

  /** No new tree starts; those that have begun go on. */
  drain(name: string, body: ChangeFlow = {}, options: ChangeOptions = {}): Promise<QueueView> {
    return this.#change(name, 'drain', body, options);
  }

  resume(name: string, body: ChangeFlow = {}, options: ChangeOptions = {}): Promise<QueueView> {
    return this.#change(name, 'resume', body, options);
  }

  #change(name: string, verb: string, body: ChangeFlow, options: ChangeOptions): Promise<QueueView> {
    const path = `/v1/queues/${encodeURIComponent(name)}/${verb}`;
    return this.transport.call({ method: 'POST', path, body, answer: QueueView, ...options });
  }
}

export class WorkersClient {
  constructor(private readonly transport: Transport) {}

  /** Workers that live, and what each of them runs. */
  list(options: CallOptions = {}): Promise<WorkerList> {
    return this.transport.call({ method: 'GET', path: '/v1/workers', answer: WorkerList, ...options });
  }

  /** It takes nothing new; what it runs is let run. */
  pause(id: string, body: ChangeFlow = {}, options: ChangeOptions = {}): Promise<WorkerView> {
    return this.#change(id, 'pause', body, options);
  }

  /** It takes nothing new, and gives what it runs to others. */
  drain(id: string, body: ChangeFlow = {}, options: ChangeOptions = {}): Promise<WorkerView> {
    return this.#change(id, 'drain', body, options);
  }

  resume(id: string, body: ChangeFlow = {}, options: ChangeOptions = {}): Promise<WorkerView> {
    return this.#change(id, 'resume', body, options);
  }

  #change(id: string, verb: string, body: ChangeFlow, options: ChangeOptions): Promise<WorkerView> {
    const path = `/v1/workers/${encodeURIComponent(id)}/${verb}`;
    return this.transport.call({ method: 'POST', path, body, answer: WorkerView, ...options });
  }
}

/** Calls about interactions: what waits for a person. */
import {
  BulkAnswerResult,
  InteractionPage,
  InteractionView,
  type InteractionAnswer,
  type Json,
  type ListInteractions,
} from '@bullpen/contracts';
import { itemsOf } from './pages.js';
import type { CallOptions, ChangeOptions } from './tasks.js';
import type { Transport } from './transport.js';

export class InteractionsClient {
  constructor(private readonly transport: Transport) {}

  /** One page; pending ones by default, oldest first. */
  list(filter: Partial<ListInteractions> = {}, options: CallOptions = {}): Promise<InteractionPage> {
    return this.transport.call({
      method: 'GET',
      path: '/v1/interactions',
      query: filter,
      answer: InteractionPage,
      ...options,
    });
  }

  /** All that fit, page after page. */
  iterate(
    filter: Omit<Partial<ListInteractions>, 'after'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<InteractionView, void, undefined> {
    return itemsOf((after) => this.list({ ...filter, ...(after !== undefined && { after }) }, options));
  }

  get(id: string, options: CallOptions = {}): Promise<InteractionView> {
    return this.transport.call({ method: 'GET', path: pathOf(id), answer: InteractionView, ...options });
  }

  /** Answers one; with `hash` only while it still asks for exactly what you saw. */
  answer(
    id: string,
    answer: InteractionAnswer,
    { hash, ...options }: ChangeOptions & { readonly hash?: string } = {},
  ): Promise<InteractionView> {
    return this.transport.call({
      method: 'POST',
      path: `${pathOf(id)}/answer`,
      body: { answer: answer as Record<string, Json>, ...(hash === undefined ? {} : { hash }) },
      answer: InteractionView,
      ...options,
    });
  }

  /** The same answer for many. */
  answerAll(
    ids: readonly string[],
    answer: InteractionAnswer,
    options: ChangeOptions = {},
  ): Promise<BulkAnswerResult> {
    return this.transport.call({
      method: 'POST',
      path: '/v1/interactions/answers',
      body: { ids, answer },
      answer: BulkAnswerResult,
      ...options,
    });
  }
}

function pathOf(id: string): string {
  return `/v1/interactions/${encodeURIComponent(id)}`;
}

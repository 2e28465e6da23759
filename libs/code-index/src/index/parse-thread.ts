/** A thread that parses: what it takes does not hold up the process that leases, streams and heartbeats depend on. */
import { parentPort } from 'node:worker_threads';
import { FactsReader } from '../parser.js';
import type { Language } from '../languages/language.js';
import type { FileFacts } from '../facts/facts.js';

export interface ParseOrder {
  readonly id: number;
  readonly language: Language;
  readonly text: string;
}

/** Facts, or why there are none. */
export interface ParseAnswer {
  readonly id: number;
  readonly facts: FileFacts | string;
}

const port = parentPort;
if (port === null) throw new Error('parse-thread is started as a thread');
const reader = new FactsReader();
port.on('message', (order: ParseOrder) => {
  const answer = (facts: FileFacts | string) =>
    port.postMessage({ id: order.id, facts } satisfies ParseAnswer);
  reader
    .read(order.language, order.text)
    .then(answer, (error: unknown) => answer(`the parser failed: ${String(error)}`));
});

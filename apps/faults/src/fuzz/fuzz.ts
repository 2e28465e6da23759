/** Sends many odd requests to a real gateway, and judges each answer and what is left of the gateway afterwards. */
import { checkInvariants } from '@bullpen/store';
import { Random } from '../sweep/random.js';
import type { FuzzStack } from './fuzz-stack.js';
import { judgeExchange } from './judge-answer.js';
import { oddRequest, type OddRequest } from './odd-request.js';
import { readOperations, type Operation } from './operations.js';
import { sendRaw } from './raw-http.js';

/** An answer takes no longer. */
const HANG_MS = 5_000;
/** Requests that are under way at a time. */
const LANES = 6;
/** After so many requests there are new tasks, questions and webhooks to be asked about. */
const GROUND_EVERY = 400;
/** The gateway never needs more memory than this, in MB. */
const MOST_MEMORY = 1_024;

export interface Failure {
  /** `--only` sends this one alone. */
  readonly index: number;
  readonly operation: string;
  readonly framing: string;
  readonly what: string;
  /** What it looked like. */
  readonly start: string;
}

export interface FuzzReport {
  readonly requests: number;
  readonly operations: number;
  readonly seed: number;
  readonly statuses: Record<string, number>;
  readonly fiveHundreds: number;
  readonly hung: number;
  /** Longest time to an answer, in ms. */
  readonly slowest: number;
  readonly slowestWas: string;
  readonly memoryMb: { readonly before: number; readonly after: number; readonly peak: number };
  readonly seconds: number;
  readonly fail: number;
  readonly failures: readonly Failure[];
}

export interface FuzzOptions {
  readonly seed: number;
  readonly requests: number;
  /** Number of the only request to send; null: all. */
  readonly only: number | null;
  readonly told: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Sends the requests that the seed gives, then looks at the memory of the gateway and at what it left in the database. */
export async function fuzz(stack: FuzzStack, options: FuzzOptions): Promise<FuzzReport> {
  const startedAt = performance.now();
  const operations = await readOperations(`http://127.0.0.1:${stack.gateway.port}`);
  const before = (await stack.memory()).now;
  const run = new Run(stack, operations, options);
  await run.all();
  const { now: after, peak } = await stack.memory();
  if (peak > MOST_MEMORY)
    run.fail({ index: -1, operation: 'gateway', framing: '', what: `it took ${peak} MB`, start: '' });
  for (const what of await judgeAfterwards(stack))
    run.fail({ index: -1, operation: 'gateway', framing: '', what, start: '' });
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return {
    operations: operations.length,
    seed: options.seed,
    memoryMb: { before, after, peak },
    seconds,
    ...run.counts(),
  };
}

class Run {
  readonly #statuses: Record<string, number> = {};
  readonly #failures: Failure[] = [];
  #sent = 0;
  #fiveHundreds = 0;
  #hung = 0;
  #slowest = { ms: 0, was: '' };

  constructor(
    private readonly stack: FuzzStack,
    private readonly operations: readonly Operation[],
    private readonly options: FuzzOptions,
  ) {}

  async all(): Promise<void> {
    const { only, requests, signal } = this.options;
    const end = only === null ? requests : only + 1;
    for (let from = only ?? 0; from < end && !signal.aborted; from += GROUND_EVERY) {
      await this.stack.ground.lay();
      await this.#some(from, Math.min(end, from + GROUND_EVERY));
    }
  }

  /** Those of these numbers, several at a time. */
  async #some(from: number, end: number): Promise<void> {
    let next = from;
    const lane = async (): Promise<void> => {
      for (let index = next++; index < end; index = next++) await this.#one(index);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  fail(failure: Failure): void {
    this.#failures.push(failure);
    this.options.told(`FAIL  ${failure.index}  ${failure.operation} (${failure.framing}): ${failure.what}`);
  }

  counts() {
    const { ms, was } = this.#slowest;
    return {
      requests: this.#sent,
      statuses: Object.fromEntries(Object.entries(this.#statuses).sort()),
      fiveHundreds: this.#fiveHundreds,
      hung: this.#hung,
      slowest: Math.round(ms),
      slowestWas: was,
      fail: this.#failures.length,
      failures: this.#failures.slice(0, 50),
    };
  }

  async #one(index: number): Promise<void> {
    const { ground, gateway } = this.stack;
    const request = oddRequest(new Random(this.options.seed * 1_000_003 + index), this.operations, ground);
    const { bytes, halfClose, isHead } = request;
    const exchange = await sendRaw(bytes, { port: gateway.port, timeoutMs: HANG_MS, halfClose, isHead });
    this.#sent += 1;
    if (this.#sent % 1_000 === 0) this.options.told(`${this.#sent} requests`);
    this.#count(request, exchange.ms, exchange.hung);
    const statuses = exchange.answers.map(({ status }) => String(status));
    for (const status of statuses.length > 0 ? statuses : ['closed'])
      this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    this.#fiveHundreds += statuses.filter((status) => status >= '500').length;
    const what = judgeExchange(request, exchange);
    if (what === null) return;
    const { operation, framing } = request;
    const cause = /answered with 5/.test(what)
      ? `${what}: ${await this.#causeOf(exchange.answers.map(({ body }) => body.toString('utf8')).join())}`
      : what;
    this.fail({
      index,
      operation,
      framing,
      what: cause,
      start: bytes.toString('latin1', 0, 1_000).slice(0, 600),
    });
  }

  #count({ operation, framing, bytes }: OddRequest, ms: number, hung: boolean): void {
    if (hung) this.#hung += 1;
    if (ms > this.#slowest.ms)
      this.#slowest = { ms, was: `${operation} (${framing}, ${bytes.length} bytes)` };
  }

  /** What the gateway's log says of it. */
  async #causeOf(body: string): Promise<string> {
    const traceId = /"traceId":"([^"]+)"/.exec(body)?.[1] ?? '?';
    await new Promise((resolve) => setImmediate(resolve));
    const line = this.stack.gateway.output.split('\n').find((text) => text.includes(traceId));
    return (line ?? body).slice(0, 700);
  }
}

/** Whether all is well when it is over: it answers, takes a task and shows it, and the books are in order. */
async function judgeAfterwards({ client, crashes, database }: FuzzStack): Promise<readonly string[]> {
  const startedAt = performance.now();
  const task = await client.tasks.create({ prompt: 'Are you there?' });
  await client.tasks.get(task.id);
  const tookMs = performance.now() - startedAt;
  const reports = await checkInvariants(database.pool);
  return [
    ...crashes,
    ...(tookMs > HANG_MS ? [`afterwards an ordinary request took ${Math.round(tookMs)} ms`] : []),
    ...reports.flatMap(({ id, violations }) => violations.map((violation) => `${id}: ${violation}`)),
  ];
}

/**
 * Many steps of one task while every second request goes wrong in one way or another. The clock is a double, so that waits take no
 * time; the loop, the client and Postgres are real.
 */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import {
  defineTool,
  NO_SECRETS,
  OPEN_GATE,
  runTask,
  success,
  withoutCheckpoints,
  type LoopDeps,
} from '@bullpen/core';
import { approvesAnyCommand } from '@bullpen/core/testing';
import { AnthropicModel } from '@bullpen/models';
import { newId } from '@bullpen/platform';
import { checkInvariants, createPool, PostgresTaskStore, TaskCommands } from '@bullpen/store';
import { aDefinition, testDatabase, type TestDatabase } from '@bullpen/testing';
import { z } from 'zod';
import { Random } from '../src/sweep/random.js';
import { apiError, broken, calls, cut, refuses, says, whole, type Reply } from '../src/wire/reply.js';
import {
  blockStart,
  call,
  callStart,
  end,
  errorEvent,
  jsonDelta,
  start,
  STOP,
  text,
  textDelta,
} from '../src/wire/sse.js';

const PRICE = {
  ...{ inputNanoUsd: 3_000n, outputNanoUsd: 15_000n, cacheReadNanoUsd: 300n },
  ...{ cacheWrite5mNanoUsd: 3_750n, cacheWrite1hNanoUsd: 6_000n },
};

type Pool = ReturnType<typeof createPool>;

const halfCall = callStart(0, { id: 'toolu_half', name: 'act' }) + jsonDelta(0, '{"n":');
const halfText = blockStart(0, { type: 'text', text: '' }) + textDelta(0, 'I was just ab');

/** What goes wrong. A broken stream may be kept for what had ended in it; none of its calls may run. */
const FAULTS: readonly (() => Reply)[] = [
  () => apiError(429, 'rate_limit_error', 'Slow down.', { 'retry-after': '7' }),
  () => apiError(429, 'rate_limit_error', 'Slow down.'),
  () => apiError(529, 'overloaded_error', 'Overloaded'),
  () => apiError(500, 'api_error', 'Internal'),
  () => apiError(503, 'api_error', 'Unavailable'),
  () => cut(start()),
  () => cut(start(), halfText),
  () => cut(start(), halfCall),
  () => cut(start(), text(0, 'I begin.'), call(1, 'act', { n: -1 })),
  () => broken(start(), halfText),
  () => broken(start(), errorEvent('overloaded_error', 'Overloaded')),
  () => calls(call(0, 'act', '{"n": 1,}', newId('call'))),
];

/** The provider finds a request too long, in each of its ways. */
const TOO_LONG: readonly (() => Reply)[] = [
  () => apiError(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'),
  () => refuses(413, '<html><h1>413 Request Entity Too Large</h1></html>', { 'content-type': 'text/html' }),
];
/** So many messages make a history that can be made shorter. */
const LONG = 14;

const SUMMARY = `The agent acts step by step. ${'What was done is done; the newest calls say where it is. '.repeat(4)}`;
const SUMMARIES: readonly (() => Reply)[] = [
  () => says(SUMMARY),
  () => says('\u{1f44d}'),
  () => calls(call(0, 'act', { n: -2 }, newId('call'))),
  () => apiError(529, 'overloaded_error', 'Overloaded'),
];

/** A provider that has refused a request refuses it until it has become shorter. */
class Window {
  private limit = Infinity;

  constructor(private readonly random: Random) {}

  /** The refusal of a request; null when it may be answered. A request to sum up is nearly as long: it may be refused as well. */
  refusalOf({ messages }: Sent, isSummary: boolean): Reply | null {
    const { length } = JSON.stringify(messages);
    if (isSummary)
      return length > this.limit && this.random.chance(0.5) ? this.random.pick(TOO_LONG)() : null;
    if (this.limit === Infinity && messages.length >= LONG && this.random.chance(0.3))
      this.limit = length * 0.9;
    if (length > this.limit) return this.random.pick(TOO_LONG)();
    this.limit = Infinity;
    return null;
  }
}

interface Sent {
  readonly messages: readonly unknown[];
}

/** The test of so many steps. */
export function mixedFaultsTest(steps: number, timeoutMs: number): void {
  let database: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    database = await testDatabase();
    pool = createPool({ databaseUrl: database.url, max: 4, applicationName: 'mixed-faults' });
    await pool.query(`INSERT INTO tenants (id, name) VALUES ('default', 'D')`);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  it(
    `${steps} steps of mixed faults end with the exact ledger, and no effect comes twice or is missing`,
    async () => runSteps(pool, steps),
    timeoutMs,
  );
}

async function runSteps(pool: Pool, steps: number): Promise<void> {
  const random = new Random(20261129);
  const effects: number[] = [];
  const sent: Reply[] = [];
  let [clock, faultsInARow] = [Date.now(), 0];
  const act = defineTool({
    ...({ name: 'act', description: 'Acts.', group: 'write', resume: 'report' } as const),
    input: z.strictObject({ n: z.int() }),
    run: ({ n }) => {
      effects.push(n);
      return success(`acted ${n}`);
    },
  });
  const window = new Window(random);
  const next = (request: Sent): Reply => {
    const isSummary = JSON.stringify(request.messages.at(-1)).includes('Write a record of it');
    const refusal = window.refusalOf(request, isSummary);
    if (refusal !== null) return refusal;
    if (isSummary) return random.pick(SUMMARIES)();
    const goesWrong = faultsInARow < 3 && random.chance(0.5);
    faultsInARow = goesWrong ? faultsInARow + 1 : 0;
    if (goesWrong) return random.pick(FAULTS)();
    const n = effects.length;
    if (n < steps && random.chance(0.05))
      return whole(start(), text(0, 'I was just ab'), end('model_context_window_exceeded'), STOP);
    return n < steps ? calls(call(0, 'act', { n }, newId('call'))) : says('All is done.');
  };
  const model = new AnthropicModel({
    apiKey: 'wire',
    fetch: (_, init) => {
      const reply = next(JSON.parse(init?.body as string) as Sent);
      sent.push(reply);
      return Promise.resolve(responseOf(reply));
    },
  });
  const store = new PostgresTaskStore({ pool, leaseMs: 600_000, newId });
  const deps: LoopDeps = {
    ...{ store, model, setupTool: act, tools: () => new Map([[act.name, act]]), validate: () => [] },
    ...{
      priceOf: () => PRICE,
      judgeCommand: approvesAnyCommand,
      gate: OPEN_GATE,
      masker: NO_SECRETS,
      newId,
    },
    workspace: () => Promise.resolve(withoutCheckpoints('/nowhere')),
    now: () => (clock += 1),
    sleep: (ms) => {
      clock += ms;
      return Promise.resolve();
    },
    timeout: () => new AbortController().signal,
    random: () => random.next(),
    hash: (content) => createHash('sha256').update(content).digest('hex'),
    ...{ emit: () => undefined, holdsLease: () => true, shouldYield: () => false },
  };
  const id = await submit(pool);
  const lease = await store.claim(id, 1, 'worker_a');
  if (!lease) throw new Error('nothing to claim');
  const ended = await runTask(lease, deps, new AbortController().signal);

  expect(ended).toMatchObject({
    kind: 'finished',
    outcome: { state: 'completed', output: 'All is done.', failure: null },
  });
  expect(effects).toEqual(Array.from({ length: steps }, (_, n) => n));
  expect(sent.length).toBeGreaterThan(steps * 1.3);
  expect(sent.length).toBeLessThan(steps * 4);
  await expectMadeShorter(pool, id, steps);
  await expectExactBooks(pool, id, sent);
}

async function submit(pool: Pool): Promise<string> {
  const id = newId('task');
  const limits = {
    ...aDefinition().limits,
    turns: 10_000,
    tokens: 1_000_000_000,
    costUsd: '100000',
  };
  const retry = { taskAttempts: 3, modelAttempts: 8, baseMs: 1_000, maxMs: 20_000 };
  const definition = aDefinition({ tools: ['act'], limits, retry });
  await new TaskCommands({ pool, newId }).create({
    ...{ id, tenantId: 'default', title: 'T', prompt: 'P', input: null, priority: 0, runAt: null },
    ...{ definition, workspace: { kind: 'empty' }, tags: [], metadata: {} },
  });
  return id;
}

/** Each refusal of the conversation has one row that makes it shorter, whatever became of its summary, and both ways were taken. */
async function expectMadeShorter(pool: Pool, id: string, steps: number): Promise<void> {
  const { rows } = await pool.query<{
    refused: number;
    answered: number;
    condensed: number;
    truncated: number;
  }>(
    `SELECT (SELECT count(*)::int FROM model_calls WHERE task_id = $1 AND error_class = 'context' AND phase <> 'condense') AS refused,
       count(*) FILTER (WHERE reduction ->> 'forcedBy' IS NOT NULL)::int AS answered,
       count(*) FILTER (WHERE reduction ->> 'kind' = 'condense')::int AS condensed,
       count(*) FILTER (WHERE reduction ->> 'kind' = 'truncate')::int AS truncated
     FROM api_messages WHERE task_id = $1`,
    [id],
  );
  const { refused = 0, answered, condensed = 0, truncated = 0 } = rows[0] ?? {};
  expect(refused).toBeGreaterThan(3);
  expect(answered).toBe(refused);
  // A short form may not meet both.
  if (steps >= 1_000) expect(Math.min(condensed, truncated)).toBeGreaterThan(0);
}

/** Each request has its row, each answer that was paid its usage, once; nothing is held back, and the account is the sum. */
async function expectExactBooks(pool: Pool, id: string, sent: readonly Reply[]): Promise<void> {
  const count = (meaning: Reply['meaning']) => sent.filter((reply) => reply.meaning === meaning).length;
  const { rows: requests } = await pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM model_calls WHERE task_id = $1',
    [id],
  );
  expect(requests[0]?.count).toBe(sent.length);
  const { rows: usage } = await pool.query<{
    input: number;
    output: number;
    calls: number;
    cost: string;
    estimated: boolean;
  }>(
    `SELECT input_tokens::int AS input, output_tokens::int AS output, count(*)::int AS calls, count(DISTINCT model_call_id)::int AS ids,
       sum(cost_nano_usd)::text AS cost, estimated FROM usage_records WHERE task_id = $1 GROUP BY 1, 2, 6 ORDER BY 2 DESC`,
    [id],
  );
  const whole = usage.find(({ output, estimated }) => output === 10 && !estimated);
  expect(whole).toMatchObject({ input: 100, calls: count('whole'), ids: count('whole') });
  expect(whole?.cost).toBe(String(BigInt(count('whole')) * (100n * 3_000n + 10n * 15_000n)));
  // A broken stream is paid for as far as it had come; a refusal is not.
  expect(usage.reduce((sum, { calls: one }) => sum + one, 0)).toBe(count('whole') + count('broken'));
  const reports = await checkInvariants(pool);
  expect(reports.flatMap(({ violations }) => violations)).toEqual([]);
}

function responseOf({ status, headers, pieces, close }: Reply): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      pieces.forEach((piece) => controller.enqueue(piece));
      if (close !== 'cut') controller.close();
    },
    pull(controller) {
      controller.error(new TypeError('terminated'));
    },
  });
  return new Response(body, { status, headers });
}

/**
 * What a durable step is without the product around it: the same rows, in the same tables, under the same fence, as one would write them by
 * hand. A transaction of prepared statements, one for each table; nothing thinks, checks or reads what comes back.
 */
import { newId } from '@bullpen/platform';
import type { PoolClient } from 'pg';
import type { Pool } from '../lab/database.js';

/** A task whose lease is held. */
interface Held {
  readonly taskId: string;
  readonly epoch: number;
}

/** The rows of one turn, by id. */
interface Turn {
  readonly number: number;
  readonly modelCall: string;
  readonly nextModelCall: string;
  readonly message: string;
  readonly call: string;
}

/** So many turns with one tool call, two steps each, on a fresh task that was claimed. Gives ms a step. */
export async function serialSameRows(pool: Pool, held: Held, turns: number): Promise<number> {
  const client = await pool.connect();
  try {
    let nextModelCall = newId('mcall');
    await askModel(client, held, 1, nextModelCall);
    const start = performance.now();
    for (let number = 1; number <= turns; number += 1) {
      const modelCall = nextModelCall;
      nextModelCall = newId('mcall');
      const turn = { number, modelCall, nextModelCall, message: newId('msg'), call: newId('call') };
      await inTransaction(client, () => answerStep(client, held, turn));
      await inTransaction(client, () => resultStep(client, held, turn));
    }
    return (performance.now() - start) / turns / 2;
  } finally {
    client.release();
  }
}

/** The model's answer with one call: paid, stored, and the call's start. */
async function answerStep(client: PoolClient, held: Held, turn: Turn): Promise<void> {
  const { taskId, epoch } = held;
  const { number, modelCall, message, call } = turn;
  await fence(client, held, 3, { turns: number, cost: 600_000 });
  await run(
    client,
    'pay',
    `UPDATE budget_accounts SET reserved_nano_usd = reserved_nano_usd - $2, spent_nano_usd = spent_nano_usd + $3 WHERE root_id = $1`,
    [taskId, RESERVE, 600_000],
  );
  const content = [{ type: 'tool_use', id: `toolu_${number}`, name: 'noop', input: { n: number } }];
  await say(client, held, message, number * 2, 'assistant', content);
  await tell(client, held, [
    ['message.agent', { messageId: message, text: '', turn: number }],
    [
      'usage.recorded',
      { modelCallId: modelCall, usage: { inputTokens: 100, outputTokens: 20 }, costUsd: '0.0006' },
    ],
    ['tool.started', { callId: call, tool: 'noop', arguments: { n: number } }],
  ]);
  await run(
    client,
    'answered',
    `UPDATE model_calls SET status = 'done', stop_reason = 'tool_use', ended_at = now() WHERE id = $1`,
    [modelCall],
  );
  await run(
    client,
    'called',
    `INSERT INTO tool_calls (id, task_id, message_id, turn, position, tool_use_id, tool, status, raw_arguments, arguments, started_epoch, started_at)
     VALUES ($1, $2, $3, $4, 0, $5, 'noop', 'calling', $6::text, $6::text::json, $7, now())`,
    [call, taskId, message, number, `toolu_${number}`, JSON.stringify({ n: number }), epoch],
  );
  await run(
    client,
    'used',
    `INSERT INTO usage_records (model_call_id, task_id, root_id, tenant_id, agent, model, input_tokens, output_tokens, cache_read_tokens,
       cache_write_5m_tokens, cache_write_1h_tokens, cost_nano_usd, price)
     VALUES ($1, $2, $2, 'default', 'bench', 'claude-sonnet-5-5', 100, 20, 0, 0, 0, 600000, '["3000","15000","300","3750","6000"]')`,
    [modelCall, taskId],
  );
}

/** The call's result, and the next request. */
async function resultStep(client: PoolClient, held: Held, turn: Turn): Promise<void> {
  const { number, call, nextModelCall } = turn;
  await fence(client, held, 1, { turns: number, cost: 0 });
  await run(
    client,
    'reserve',
    'UPDATE budget_accounts SET reserved_nano_usd = reserved_nano_usd + $2 WHERE root_id = $1',
    [held.taskId, RESERVE],
  );
  const content = [{ type: 'tool_result', tool_use_id: `toolu_${number}`, content: 'ok' }];
  await say(client, held, newId('msg'), number * 2 + 1, 'user', content);
  await tell(client, held, [
    ['tool.finished', { callId: call, tool: 'noop', isError: false, output: 'ok', durationMs: 1 }],
  ]);
  await run(
    client,
    'done',
    `UPDATE tool_calls SET status = 'done', output = 'ok', ended_at = now() WHERE id = $1`,
    [call],
  );
  await askModel(client, held, number + 1, nextModelCall);
}

/** What the product reserves for a request is about as much. */
const RESERVE = 60_000_000;

async function fence(
  client: PoolClient,
  { taskId, epoch }: Held,
  events: number,
  { turns, cost }: { turns: number; cost: number },
): Promise<void> {
  const stored = await run(
    client,
    'fence',
    `UPDATE tasks SET event_seq = event_seq + $3, message_seq = message_seq + 1, turns = $4, cost_nano_usd = cost_nano_usd + $5, crashes = 0,
       updated_at = now()
     WHERE id = $1 AND epoch = $2 AND state = 'running' AND cancel_requested_at IS NULL`,
    [taskId, epoch, events, turns, cost],
  );
  if (stored !== 1) throw new Error(`${taskId} is not held any more`);
}

async function say(
  client: PoolClient,
  { taskId, epoch }: Held,
  id: string,
  seq: number,
  role: 'assistant' | 'user',
  content: unknown,
): Promise<void> {
  await run(
    client,
    'say',
    'INSERT INTO api_messages (id, task_id, seq, turn, role, content, epoch) VALUES ($1, $2, $3, $4, $5, $6, $7)',
    [id, taskId, seq, seq >> 1, role, JSON.stringify(content), epoch],
  );
}

/** Event numbers need the row's; read off it, they cost no round trip of their own. */
async function tell(
  client: PoolClient,
  { taskId, epoch }: Held,
  events: readonly (readonly [type: string, data: unknown])[],
): Promise<void> {
  await run(
    client,
    `tell-${events.length}`,
    `INSERT INTO ui_events (task_id, seq, root_id, tenant_id, type, data, epoch)
     SELECT t.id, t.event_seq - ${events.length} + e.place, t.root_id, t.tenant_id, e.type, e.data, $2
     FROM tasks t, (VALUES ${events.map((_, at) => `(${at + 1}, $${at * 2 + 3}, $${at * 2 + 4}::json)`).join(', ')}) AS e(place, type, data)
     WHERE t.id = $1`,
    [taskId, epoch, ...events.flatMap(([type, data]) => [type, JSON.stringify(data)])],
  );
}

async function askModel(client: PoolClient, { taskId }: Held, turn: number, id: string): Promise<void> {
  await run(
    client,
    'ask',
    `INSERT INTO model_calls (id, task_id, turn, attempt, phase, model, status, request_hash, request_messages, reserved_nano_usd, started_at)
     VALUES ($1, $2, $3, 1, 'work', 'claude-sonnet-5-5', 'started', $4, $5, $6, now())`,
    [id, taskId, turn, HASH, turn * 2 - 1, RESERVE],
  );
}

const HASH = 'a'.repeat(64);

async function run(
  client: PoolClient,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<number | null> {
  return (await client.query({ name: `same-rows-${name}`, text, values: [...values] })).rowCount;
}

async function inTransaction(client: PoolClient, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN');
  await work();
  await client.query('COMMIT');
}

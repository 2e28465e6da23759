/** One case played: the task is submitted over the API, waited for, and everything that is known of it is gathered. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ANY_COMMAND, isTerminal, type TaskView } from '@bullpen/contracts';
import type { DrillDatabase } from '../stack/database.js';
import type { Play, UsageRow } from './played.js';
import { says } from './reply.js';
import type { Stage } from './stage.js';
import { AFTER, type WireCase } from './wire-case.js';
import { promptOf, type Script } from './wire-server.js';

/** Everything that the agent's definition allows, and tries that follow each other quickly. */
const USUAL = {
  approvals: {
    alwaysAllowReadOnly: true,
    alwaysAllowWrite: true,
    alwaysAllowExecute: true,
    alwaysAllowSubtasks: true,
    alwaysAllowUpdateTodoList: true,
  },
  rules: ANY_COMMAND,
  retry: { baseMs: 10, maxMs: 50, taskAttempts: 1 },
};

const REST_MS = 120_000;
const LOOK_MS = 40;
const PAGE = { limit: 200 };

/** Plays a case to its rest. Throws when it does not come to rest in time. */
export async function play(stage: Stage, one: WireCase): Promise<Play> {
  const { client, server, signal } = stage;
  server.script(one.name, scriptOf(one));
  for (const [name, script] of Object.entries(one.others ?? {})) server.script(name, script);
  const body = { ...USUAL, prompt: promptOf(one.name), title: one.name, ...one.task };
  const { id } = await client.tasks.create(body, { signal });
  await atRest(stage, id);
  return gather(stage, one, id);
}

function scriptOf({ replies }: WireCase): Script {
  if (typeof replies === 'function') return replies;
  return (_, at) => replies[at] ?? says(AFTER);
}

/** Waits until the task has ended or waits for somebody. What only time will change is no rest. */
export async function atRest({ database, signal }: Stage, id: string): Promise<void> {
  const deadline = performance.now() + REST_MS;
  for (;;) {
    const { rows } = await database.pool.query<{ state: string; reason: string | null }>(
      'SELECT state, wait_reason AS reason FROM tasks WHERE id = $1',
      [id],
    );
    const [row] = rows;
    if (row !== undefined && isRest(row)) return;
    if (performance.now() > deadline)
      throw new Error(`after ${REST_MS / 1_000} s it is still ${row?.state} ${row?.reason ?? ''}`);
    await sleep(LOOK_MS, undefined, { signal });
  }
}

function isRest({ state, reason }: { state: string; reason: string | null }): boolean {
  if (state === 'waiting') return reason !== 'backoff' && reason !== 'budget' && reason !== 'children';
  return isTerminal(state) || state === 'paused';
}

async function gather({ client, server, database, signal }: Stage, one: WireCase, id: string): Promise<Play> {
  const options = { ...PAGE, signal };
  const [task, toolCalls, modelCalls, history] = await Promise.all([
    client.tasks.get(id, { signal }),
    client.tasks.toolCalls(id, options),
    client.tasks.modelCalls(id, options),
    client.tasks.apiHistory(id, options),
    client.tasks.uiHistory(id, options), // That it can be read is all that matters.
  ]);
  const { rows } = await database.pool.query<{ crashes: number }>('SELECT crashes FROM tasks WHERE id = $1', [
    id,
  ]);
  return {
    task,
    crashes: rows[0]?.crashes ?? 0,
    exchanges: server.exchanges(one.name),
    toolCalls: toolCalls.data,
    modelCalls: modelCalls.data,
    history: history.data,
    usage: await usageOf(database, id),
    files: await filesOf(task, Object.keys(one.expect.files ?? {})),
  };
}

async function usageOf(database: DrillDatabase, id: string): Promise<readonly UsageRow[]> {
  const { rows } = await database.pool.query<{ row: UsageRow }>(
    `SELECT json_build_object('inputTokens', input_tokens, 'outputTokens', output_tokens, 'cacheReadTokens', cache_read_tokens,
       'cacheWrite5mTokens', cache_write_5m_tokens, 'cacheWrite1hTokens', cache_write_1h_tokens,
       'costNanoUsd', cost_nano_usd, 'estimated', estimated) AS row
     FROM usage_records WHERE task_id = $1 ORDER BY at, model_call_id`,
    [id],
  );
  return rows.map(({ row }) => row);
}

async function filesOf({ workspacePath }: TaskView, names: readonly string[]) {
  const found = new Map<string, string | null>();
  for (const name of names)
    found.set(name, await readFile(join(workspacePath ?? '/nowhere', name), 'utf8').catch(() => null));
  return found;
}

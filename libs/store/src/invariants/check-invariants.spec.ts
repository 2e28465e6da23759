import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ContentBlock, InvariantReport } from '@bullpen/contracts';
import type { Lease, ModelCallRecord, Step, TaskOutcome, WaitSpec } from '@bullpen/core';
import { newId } from '@bullpen/platform';
import {
  aDefinition,
  aMessage,
  aModelCall,
  aNewChild,
  aStep,
  aToolCall,
  aUsage,
  testDatabase,
  type TestDatabase,
} from '@bullpen/testing';
import type { Pool } from 'pg';
import { TaskCommands } from '../tasks/commands.js';
import { createPool, isUnreachable } from '../database/pool.js';
import { PostgresTaskStore } from '../tasks/task-store.js';
import { checkInvariants, reportAll } from './check-invariants.js';

const GOAL: TaskOutcome = {
  state: 'completed',
  cause: 'goal',
  output: 'done',
  partial: false,
  failure: null,
};
const FAILED: TaskOutcome = {
  state: 'failed',
  cause: 'error',
  output: null,
  partial: false,
  failure: { cause: 'error', code: 'model_failed', message: 'It failed.' },
};

describe('the invariants', () => {
  let database: TestDatabase;
  let pool: Pool;
  let tasks: Record<TaskName, string>;

  beforeAll(async () => {
    database = await testDatabase();
    pool = createPool({ databaseUrl: database.url, max: 2 });
    tasks = await live(pool);
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('hold, each with something to look at, on a database that tasks have lived in', async () => {
    const reports = await checkInvariants(pool);

    expect(reports.map(({ id }) => id)).toEqual([
      'I1',
      'I2',
      'I3',
      'I4',
      'I5',
      'I6',
      'I7',
      'I8',
      'I9',
      'I10',
      'I11',
    ]);
    expect(reports.filter(({ holds }) => !holds)).toEqual([]);
    expect(reports.filter(({ checked }) => checked === 0)).toEqual([]);
  });

  it('take a task for looked after that waits for a provider key, however long that is parked', async () => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const parked = `UPDATE waits SET due_at = NULL, provider_key = 'key', satisfied_at = NULL, open_edges = 0
        FROM tasks t WHERE t.state = 'waiting' AND waits.id = t.wait_id RETURNING t.id`;
      const { rows } = await client.query<{ id: string }>(parked);
      expect(rows.length).toBeGreaterThan(0);
      await client.query(
        'DELETE FROM wait_edges WHERE wait_id IN (SELECT wait_id FROM tasks WHERE id = ANY ($1))',
        [rows.map(({ id }) => id)],
      );
      const i1 = (await reportAll(client)).find(({ id }) => id === 'I1');
      expect(i1?.violations).toEqual([]);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('fail as unreachable when the connection is lost in their midst, and the process lives', async () => {
    const own = createPool({ databaseUrl: database.url, max: 1, applicationName: 'doctor-spec' });
    const lost = new Promise<void>((resolve) => {
      own.on('connect', (client) => {
        // At the first statement of the check, before the second one.
        client.once('drain', () => {
          client.once('end', () => resolve());
          void pool.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'doctor-spec'`,
          );
        });
      });
    });
    const error = await checkInvariants(own).catch((thrown: unknown) => thrown);
    await lost;
    expect(isUnreachable(error)).toBe(true);
    await own.end();
  });

  /** What is planted ($1: the id of the named task), and what must be said about it. */
  it.each<[string, string, TaskName, string, RegExp]>([
    [
      'an accepted task that is gone',
      'I1',
      'queued',
      'DELETE FROM tasks WHERE id = $1',
      /was accepted at .* and is gone/,
    ],
    [
      'a queued task without a dispatch row',
      'I1',
      'queued',
      'DELETE FROM dispatches WHERE task_id = $1',
      /without a dispatch row/,
    ],
    [
      'a queued task whose dispatch row is for an old wake',
      'I1',
      'queued',
      'UPDATE tasks SET wake = wake + 1 WHERE id = $1',
      /for wake 2/,
    ],
    [
      'a running task without a lease',
      'I1',
      'running',
      'UPDATE tasks SET worker_id = NULL, lease_expires_at = NULL WHERE id = $1',
      /without a live lease/,
    ],
    [
      'a running task whose lease ran out long ago',
      'I1',
      'running',
      "UPDATE tasks SET lease_expires_at = now() - interval '5 minutes' WHERE id = $1",
      /without a live lease/,
    ],
    [
      'a waiting task without a wait',
      'I1',
      'waiting',
      'UPDATE tasks SET wait_id = NULL WHERE id = $1',
      /it has no wait/,
    ],
    [
      'a waiting task that nothing can wake',
      'I1',
      'waiting',
      'UPDATE wait_edges SET closed_at = now() WHERE wait_id = (SELECT wait_id FROM tasks WHERE id = $1)',
      /no open child/,
    ],
    [
      'a waiting task whose wait was satisfied long ago',
      'I1',
      'waiting',
      "UPDATE waits SET satisfied_at = now() - interval '5 minutes' WHERE task_id = $1",
      /was satisfied/,
    ],
    [
      'a waiting task whose time came long ago',
      'I1',
      'waiting',
      "UPDATE waits SET due_at = now() - interval '5 minutes' WHERE task_id = $1",
      /was due/,
    ],
    [
      'an open edge to a child that has ended',
      'I1',
      'completed',
      'UPDATE wait_edges SET child_id = $1 WHERE closed_at IS NULL',
      /still waits for/,
    ],
    [
      'a wait that counts its edges wrongly',
      'I1',
      'waiting',
      'UPDATE waits SET open_edges = 2 WHERE task_id = $1',
      /counts 2 open edges and has 1/,
    ],
    [
      'a message of an older epoch after a newer one',
      'I2',
      'completed',
      'UPDATE api_messages SET epoch = 0 WHERE task_id = $1 AND seq = 3',
      /was written by epoch 0 after one of epoch 1/,
    ],
    [
      'an event of an older epoch after a newer one',
      'I2',
      'completed',
      'UPDATE ui_events SET epoch = 0 WHERE task_id = $1 AND seq = 5',
      /was written by epoch 0/,
    ],
    [
      'a row of an epoch that nobody was given',
      'I2',
      'running',
      'UPDATE ui_events SET epoch = 9 WHERE task_id = $1 AND seq = 4',
      /is at epoch 1 and has a row of epoch 9/,
    ],
    [
      'a tool_use without its result',
      'I3',
      'completed',
      `UPDATE api_messages SET content = '[{"type":"text","text":"x"}]' WHERE task_id = $1 AND seq = 3`,
      /answers \{\}.*asked for \{toolu_a,toolu_b\}/,
    ],
    [
      'results in another order than their calls',
      'I3',
      'completed',
      `UPDATE api_messages SET content = ${results('toolu_b', 'toolu_a')} WHERE task_id = $1 AND seq = 3`,
      /answers \{toolu_b,toolu_a\}/,
    ],
    [
      'a result that is given twice',
      'I3',
      'completed',
      `UPDATE api_messages SET content = ${results('toolu_a', 'toolu_b', 'toolu_b')} WHERE task_id = $1 AND seq = 3`,
      /answers \{toolu_a,toolu_b,toolu_b\}/,
    ],
    [
      'a result that nobody asked for',
      'I3',
      'running',
      `UPDATE api_messages SET content = ${results('toolu_x')} WHERE task_id = $1 AND seq = 1`,
      /answers \{toolu_x\}.*asked for \{\}/,
    ],
    [
      'a tool_result that the model wrote',
      'I3',
      'running',
      `UPDATE api_messages SET role = 'assistant', content = ${results('toolu_x')} WHERE task_id = $1 AND seq = 1`,
      /is of the assistant and has a tool_result/,
    ],
    [
      'a completed task with an open tool_use',
      'I3',
      'completed',
      `UPDATE api_messages SET content = '[{"type":"tool_use","id":"toolu_z","name":"f","input":{}}]' WHERE task_id = $1 AND seq = 4`,
      /leaves \{toolu_z\} open/,
    ],
    [
      'a reduction that tears a turn apart',
      'I3',
      'completed',
      reduced('truncate', 3, 3),
      /takes the place of 3 to 3/,
    ],
    [
      'a reduction of what comes after it',
      'I3',
      'completed',
      reduced('truncate', 2, 9),
      /takes the place of 2 to 9/,
    ],
    [
      'a summary that nobody paid for',
      'I4',
      'completed',
      reduced('condense', 2, 3),
      /a summary that no model call wrote/,
    ],
    [
      'a summary that was paid for and is not there',
      'I4',
      'completed',
      "UPDATE model_calls SET phase = 'condense' WHERE task_id = $1 AND turn = 1",
      /wrote 0 summaries/,
    ],
    [
      'two answered calls for one turn',
      'I4',
      'completed',
      "UPDATE model_calls SET turn = 1 WHERE task_id = $1 AND status = 'done'",
      /turn 1 .* has 2 answered model calls/,
    ],
    [
      'an assistant message that no call gave',
      'I4',
      'completed',
      "UPDATE model_calls SET status = 'failed' WHERE task_id = $1 AND turn = 1",
      /1 assistant messages and 0 answered/,
    ],
    [
      'an answered call that was not charged',
      'I4',
      'completed',
      'DELETE FROM usage_records WHERE task_id = $1',
      /has no usage row/,
    ],
    [
      'usage of an unknown call',
      'I4',
      'completed',
      "UPDATE usage_records SET model_call_id = 'mcall_x' WHERE model_call_id = (SELECT min(model_call_id) FROM usage_records WHERE task_id = $1)",
      /the call is unknown/,
    ],
    [
      'a task that counts other tokens than its usage',
      'I4',
      'completed',
      'UPDATE tasks SET input_tokens = input_tokens + 1 WHERE id = $1',
      /input_tokens 201.* add up to 200/,
    ],
    [
      'a task that cost something else than its usage',
      'I4',
      'completed',
      'UPDATE tasks SET cost_nano_usd = 1 WHERE id = $1',
      /cost_nano_usd 1,/,
    ],
    [
      'an account that spent something else than its tree',
      'I4',
      'completed',
      'UPDATE budget_accounts SET spent_nano_usd = 7 WHERE root_id = $1',
      /has spent 7/,
    ],
    [
      'an account that holds money for no call',
      'I4',
      'completed',
      'UPDATE budget_accounts SET reserved_nano_usd = 7 WHERE root_id = $1',
      /has 7 reserved/,
    ],
    [
      'an open model call of a task that has ended',
      'I4',
      'completed',
      "UPDATE model_calls SET status = 'started' WHERE task_id = $1 AND turn = 2",
      /is open, and its task/,
    ],
    [
      'a tree without an account',
      'I4',
      'queued',
      'DELETE FROM budget_accounts WHERE root_id = $1',
      /has no budget account/,
    ],
    [
      'a started tool call of a task that has ended',
      'I5',
      'completed',
      "UPDATE tool_calls SET status = 'calling' WHERE task_id = $1",
      /is started, and its task .* is completed/,
    ],
    [
      'a started tool call without the epoch that started it',
      'I5',
      'completed',
      'UPDATE tool_calls SET started_epoch = NULL WHERE task_id = $1',
      /by epoch none/,
    ],
    [
      'a tool call that an unknown epoch started',
      'I5',
      'completed',
      'UPDATE tool_calls SET started_epoch = 9 WHERE task_id = $1',
      /was started by epoch 9/,
    ],
    [
      'a tool call that started twice',
      'I5',
      'completed',
      "UPDATE ui_events SET type = 'tool.started', data = (SELECT data FROM ui_events WHERE task_id = $1 AND type = 'tool.started' LIMIT 1) WHERE task_id = $1 AND type = 'tool.finished'",
      /was started \d times/,
    ],
    [
      'content that is no list',
      'I6',
      'running',
      `UPDATE api_messages SET content = '{"type":"text"}' WHERE task_id = $1`,
      /is no list of content blocks/,
    ],
    [
      'content without any block',
      'I6',
      'running',
      "UPDATE api_messages SET content = '[]' WHERE task_id = $1",
      /is no list of content blocks/,
    ],
    [
      'a block without a type',
      'I6',
      'running',
      `UPDATE api_messages SET content = '["x"]' WHERE task_id = $1`,
      /is no list of content blocks/,
    ],
    [
      'thinking without its signature',
      'I6',
      'completed',
      `UPDATE api_messages SET content = '[{"type":"thinking","thinking":"x","signature":""}]' WHERE task_id = $1 AND seq = 4`,
      /a thinking block without its signature/,
    ],
    [
      'redacted thinking without its data',
      'I6',
      'completed',
      `UPDATE api_messages SET content = '[{"type":"redacted_thinking"}]' WHERE task_id = $1 AND seq = 4`,
      /a redacted_thinking block without its data/,
    ],
    [
      'a gap in the events',
      'I7',
      'completed',
      'DELETE FROM ui_events WHERE task_id = $1 AND seq = 3',
      /events, numbered 1 to/,
    ],
    [
      'a missing last event',
      'I7',
      'completed',
      'DELETE FROM ui_events WHERE task_id = $1 AND seq = (SELECT max(seq) FROM ui_events WHERE task_id = $1)',
      /events, numbered 1 to/,
    ],
    [
      'a gap in the messages',
      'I7',
      'completed',
      'UPDATE api_messages SET seq = seq + 1 WHERE task_id = $1 AND seq = 4',
      /4 messages, numbered 1 to 5, and counts 4/,
    ],
    [
      'an interaction that is answered in part',
      'I8',
      'completed',
      'UPDATE interactions SET answered_by = NULL WHERE task_id = $1',
      /is answered in part/,
    ],
    [
      'an interaction about the call of another task',
      'I8',
      'running',
      'UPDATE interactions SET task_id = $1, root_id = $1',
      /is about tool call/,
    ],
    [
      'a call that was decided twice',
      'I8',
      'completed',
      "INSERT INTO interactions SELECT 'two', task_id, root_id, tenant_id, kind, tool_call_id, arguments_hash, payload, answer, answered_by, answered_at, expires_at, created_at FROM interactions WHERE task_id = $1",
      /approved or denied 2 times/,
    ],
    [
      'an interaction of another tree',
      'I8',
      'completed',
      "UPDATE interactions SET root_id = 'task_other' WHERE task_id = $1",
      /names the tree task_other/,
    ],
    [
      'a call that ran on an approval that is not there',
      'I8',
      'completed',
      `UPDATE tool_calls SET approval = '{"verdict":"approve","by":"user","interactionId":"ask_none","hash":"h"}' WHERE task_id = $1`,
      /ran on interaction ask_none, which is not about it/,
    ],
    [
      'a call that ran on an approval of something else',
      'I8',
      'completed',
      `UPDATE tool_calls c SET approval = json_build_object('verdict', 'approve', 'by', 'user', 'interactionId', i.id, 'hash', 'other')
       FROM interactions i WHERE i.task_id = $1 AND i.tool_call_id = c.id`,
      /which (approved something else|did not approve it)/,
    ],
    [
      'a call that started while it was still asked',
      'I8',
      'completed',
      `UPDATE tool_calls SET approval = '{"verdict":"ask"}', started_at = now() WHERE task_id = $1`,
      /while nobody had approved it/,
    ],
    [
      'a tool that started after the cancel',
      'I9',
      'cancelled',
      "UPDATE tool_calls SET task_id = $1, started_at = now() + interval '1 hour'",
      /started at .* the cancel of/,
    ],
    [
      'a start event after the cancel event',
      'I9',
      'cancelled',
      'UPDATE ui_events SET type = \'tool.started\', data = \'{"callId":"call_x"}\' WHERE task_id = $1 AND seq = (SELECT max(seq) FROM ui_events WHERE task_id = $1)',
      /call_x .* started \(event \d+\) after its cancel/,
    ],
    [
      'a child that was not told of the cancel',
      'I9',
      'waiting',
      'UPDATE tasks SET cancel_requested_at = now() WHERE id = $1',
      /was not told that/,
    ],
    [
      'a tree that spent more than its limit',
      'I10',
      'completed',
      'UPDATE budget_accounts SET limit_nano_usd = 1 WHERE root_id = $1',
      /of 1$/,
    ],
    [
      'an account that holds less than nothing',
      'I10',
      'completed',
      'UPDATE budget_accounts SET reserved_nano_usd = -1 WHERE root_id = $1',
      /is negative/,
    ],
    [
      'an end without a time',
      'I11',
      'completed',
      'UPDATE tasks SET ended_at = NULL WHERE id = $1',
      /has no time of its end/,
    ],
    [
      'a time of the end without an end',
      'I11',
      'running',
      'UPDATE tasks SET ended_at = now() WHERE id = $1',
      /is running and ended at/,
    ],
    [
      'a success that is none',
      'I11',
      'completed',
      "UPDATE tasks SET stop_cause = 'turn_limit' WHERE id = $1",
      /is completed with the cause turn_limit/,
    ],
    [
      'a success with only a part of its output',
      'I11',
      'completed',
      'UPDATE tasks SET partial = true WHERE id = $1',
      /is completed with the cause goal/,
    ],
    [
      'a success that its own agent called blocked',
      'I11',
      'completed',
      `UPDATE tool_calls SET completes_task = true, arguments = '{"status":"blocked","reason":"no key"}' WHERE task_id = $1`,
      /is completed, and its agent said blocked/,
    ],
    [
      'a failure that says goal',
      'I11',
      'failed',
      "UPDATE tasks SET stop_cause = 'goal' WHERE id = $1",
      /is failed with the cause goal/,
    ],
    [
      'a failure without its reason',
      'I11',
      'failed',
      'UPDATE tasks SET failure = NULL WHERE id = $1',
      /and no failure/,
    ],
    [
      'a move that is not legal',
      'I11',
      'completed',
      `UPDATE ui_events SET data = '{"from":"queued","to":"completed"}' WHERE task_id = $1 AND seq = 3`,
      /from queued to completed, which was no legal move/,
    ],
    [
      'a move from where the task was not',
      'I11',
      'completed',
      `UPDATE ui_events SET data = '{"from":"paused","to":"queued"}' WHERE task_id = $1 AND seq = 3`,
      /from paused to queued, which was queued/,
    ],
    [
      'a state that no event told of',
      'I11',
      'running',
      "UPDATE tasks SET state = 'paused', worker_id = NULL, lease_expires_at = NULL WHERE id = $1",
      /is paused, and its last event left it running/,
    ],
    [
      'a lease of a task that does not run',
      'I11',
      'completed',
      "UPDATE tasks SET worker_id = 'w' WHERE id = $1",
      /still has the lease of worker w/,
    ],
    [
      'a child that goes on after its parent',
      'I11',
      'queued',
      "UPDATE tasks SET parent_id = (SELECT id FROM tasks WHERE state = 'failed') WHERE id = $1",
      /its parent .* is failed/,
    ],
  ])('report %s (%s)', async (_what, id, task, plant, message) => {
    const report = (await reportsWith(plant, tasks[task])).find((one) => one.id === id);
    expect(report).toMatchObject({
      holds: false,
      violations: expect.arrayContaining([expect.stringMatching(message)]),
    });
  });

  it('say of a few trees what they say of all, and nothing of others', async () => {
    const plant = `UPDATE ui_events SET seq = seq + 100 WHERE task_id = $1`;
    const { rows } = await pool.query<{ id: string; root_id: string }>(
      'SELECT id, root_id FROM tasks WHERE id = ANY ($1)',
      [Object.values(tasks)],
    );
    const rootOf = (id: string) => rows.find((row) => row.id === id)?.root_id ?? '';
    const broken = rootOf(tasks.queued);
    const others = [...new Set(rows.map((row) => row.root_id))].filter((root) => root !== broken);
    expect(others).not.toEqual([]);
    const failing = (reports: InvariantReport[]) => reports.filter(({ holds }) => !holds).map(({ id }) => id);
    expect(failing(await reportsWith(plant, tasks.queued, [broken]))).toEqual(['I7']);
    expect(failing(await reportsWith(plant, tasks.queued, others))).toEqual([]);
    const whole = await checkInvariants(pool);
    const inParts = await checkInvariants(pool, [broken, ...others]);
    expect(inParts.map(({ checked }) => checked)).toEqual(whole.map(({ checked }) => checked));
  });

  it('give ten examples at most', async () => {
    const reports = await reportsWith(
      `INSERT INTO budget_accounts (root_id, spent_nano_usd) SELECT 'task_' || n || left($1, 0), 5 FROM generate_series(1, 30) n`,
      tasks.queued,
    );
    expect(reports.find(({ id }) => id === 'I4')?.violations).toHaveLength(10);
  });

  /** Plants in a transaction that is rolled back, so that the next test finds the database as it was. */
  async function reportsWith(
    plant: string,
    taskId: string,
    roots: readonly string[] | null = null,
  ): Promise<InvariantReport[]> {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(plant, [taskId]);
      return await reportAll(client, roots);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  }
});

type TaskName = 'completed' | 'failed' | 'cancelled' | 'queued' | 'running' | 'waiting';

/** Tasks in every state, put there by the real store and the real commands. */
async function live(pool: Pool): Promise<Record<TaskName, string>> {
  const store = new PostgresTaskStore({ pool, leaseMs: 60_000, newId });
  const commands = new TaskCommands({ pool, newId });
  await pool.query("INSERT INTO tenants (id, name) VALUES ('local', 'Local')");
  const rest = {
    tenantId: 'local',
    title: 'T',
    prompt: 'P',
    input: null,
    priority: 0,
    runAt: null,
    tags: [],
    metadata: {},
  };
  const create = async (): Promise<string> => {
    const id = newId('task');
    await commands.create({ ...rest, id, definition: aDefinition(), workspace: { kind: 'empty' } });
    return id;
  };
  const claim = async (taskId: string): Promise<Lease> => {
    const lease = await store.claim(taskId, 1, newId('worker'));
    if (lease === null) throw new Error(`nothing to claim: ${taskId}`);
    return lease;
  };
  const commit = async (lease: Lease, step: Partial<Step>): Promise<void> => {
    const result = await store.commit(lease, aStep(step));
    if (result.kind !== 'committed') throw new Error(`not committed: ${result.kind}`);
  };

  const [completed, failed, cancelled, queued, running, waiting] = [
    await create(),
    await create(),
    await create(),
    await create(),
    await create(),
    await create(),
  ];
  await complete(await claim(completed), commit);
  await pool.query(
    `INSERT INTO interactions (id, task_id, root_id, tenant_id, kind, tool_call_id, arguments_hash, payload, answer, answered_by, answered_at)
     SELECT 'one', task_id, task_id, 'local', 'approval', min(id), 'hash', '{}', '{"verdict":"approve"}', 'me', now() FROM tool_calls WHERE task_id = $1 GROUP BY task_id`,
    [completed],
  );
  await commit(await claim(failed), { end: { kind: 'finish', outcome: FAILED } });
  await commands.cancel('local', cancelled, 'not needed');
  await claim(running);
  const parent = await claim(waiting);
  const child = aNewChild();
  await commit(parent, { children: [child] });
  const wait: WaitSpec = { reason: 'children', mode: 'all', childIds: [child.id], dueInMs: null };
  await commit(parent, { end: { kind: 'suspend', waitId: newId('wait'), wait } });
  return { completed, failed, cancelled, queued, running, waiting };
}

/** Two turns: one that calls two tools, and one that gives the answer. */
async function complete(
  lease: Lease,
  commit: (lease: Lease, step: Partial<Step>) => Promise<void>,
): Promise<void> {
  const calls = [
    aModelCall({ turn: 1, reservedNanoUsd: 900n }),
    aModelCall({ turn: 2, reservedNanoUsd: 900n }),
  ] as const;
  const thinking: ContentBlock = { type: 'thinking', thinking: 'Let me see.', signature: 'signed' };
  const uses = ['toolu_a', 'toolu_b'].map((id): ContentBlock => ({
    type: 'tool_use',
    id,
    name: 'look',
    input: {},
  }));
  const question = aMessage({
    seq: 2,
    turn: 1,
    role: 'assistant',
    stopReason: 'tool_use',
    content: [thinking, ...uses],
  });
  const tools = ['toolu_a', 'toolu_b'].map((toolUseId, position) =>
    aToolCall({
      messageId: question.id,
      toolUseId,
      position,
      status: 'calling',
      startedAt: new Date(),
      startedEpoch: lease.epoch,
    }),
  );
  const answers = ['toolu_a', 'toolu_b'].map((id): ContentBlock => ({
    type: 'tool_result',
    tool_use_id: id,
    content: 'seen',
  }));

  await commit(lease, { modelCalls: [calls[0]], reserveNanoUsd: 900n });
  await commit(lease, {
    ...settled(calls[0]),
    messages: [question],
    toolCalls: tools,
    events: tools.map((call) => ({
      type: 'tool.started',
      data: { callId: call.id, tool: call.tool, turn: 1, arguments: {} },
    })),
    patch: { turns: 1 },
  });
  await commit(lease, {
    messages: [aMessage({ seq: 3, turn: 1, content: answers })],
    toolCalls: tools.map((call) => ({ ...call, status: 'done', output: 'seen', endedAt: new Date() })),
    events: tools.map((call) => ({
      type: 'tool.finished',
      data: { callId: call.id, tool: call.tool, turn: 1, state: 'done', durationMs: 1, preview: 'seen' },
    })),
    modelCalls: [calls[1]],
    reserveNanoUsd: 900n,
  });
  await commit(lease, {
    ...settled(calls[1]),
    messages: [aMessage({ seq: 4, turn: 2, role: 'assistant', content: 'Done.', stopReason: 'end_turn' })],
    patch: { turns: 2 },
    end: { kind: 'finish', outcome: GOAL },
  });
}

function settled(call: ModelCallRecord): Pick<Step, 'modelCalls' | 'usage' | 'releaseNanoUsd'> {
  return {
    modelCalls: [{ ...call, status: 'done', reservedNanoUsd: 0n, endedAt: new Date() }],
    usage: [aUsage({ modelCallId: call.id, costNanoUsd: 700n })],
    releaseNanoUsd: call.reservedNanoUsd,
  };
}

/** A row that makes the conversation shorter. */
function reduced(kind: string, fromSeq: number, toSeq: number): string {
  return `INSERT INTO api_messages (id, task_id, seq, turn, role, content, reduction, epoch)
    SELECT 'msg_reduced', id, 5, 2, 'user', '[{"type":"text","text":"x"}]', '${JSON.stringify({ kind, fromSeq, toSeq })}', epoch
    FROM tasks WHERE id = $1`;
}

function results(...ids: readonly string[]): string {
  return `'${JSON.stringify(ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })))}'`;
}

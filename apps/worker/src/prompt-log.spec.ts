/** What a real worker keeps of the model calls of a task that asks for it, and what is gone after some days. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { silentLogger } from '@bullpen/platform';
import { PromptBodies } from '@bullpen/store';
import { queueBackends } from '@bullpen/testing';
import { Masker, builtInProfile, type ModelRequest } from '@bullpen/core';
import { WorkerWorld } from '../test/worker-world.js';
import { promptLog, promptLogJob } from './prompt-log.js';

const SECRET = 'sk-live-0123456789abcdef';
const talks = ({ turnIndex }: AgentTurn): Reply =>
  turnIndex === 0
    ? { text: 'Looking.', toolCalls: [{ name: 'list_files', input: { path: '.' } }] }
    : { text: 'All there.' };

let world: WorkerWorld;
beforeAll(async () => {
  const [backend] = queueBackends();
  if (!backend) throw new Error('no queue backend');
  world = await WorkerWorld.open(backend, defineScenario({ name: 'kept', agents: { general: talks } }));
  await world.start();
});
afterAll(() => world.close());

interface Row {
  readonly id: string;
  readonly request: string;
  readonly request_bytes: number;
  readonly response: string;
}
async function keptOf(taskId: string): Promise<readonly Row[]> {
  const { rows } = await world.pool.query<Row>(
    `SELECT c.id, b.request, b.request_bytes, b.response FROM model_call_bodies b JOIN model_calls c ON c.id = b.model_call_id
     WHERE c.task_id = $1 ORDER BY c.turn`,
    [taskId],
  );
  return rows;
}

describe('the bodies of model calls', () => {
  it('are kept of a task that asks for it, as the provider has them, and of no other', async () => {
    const [quiet, kept] = [await world.submit('go'), await world.submit('go', { keepBodies: true })];
    for (const id of [quiet, kept]) await world.until(id, 'completed');
    expect(await keptOf(quiet)).toEqual([]);
    const rows = await keptOf(kept);
    expect(rows).toHaveLength(2);
    const [first] = rows.map(({ request, response }) => ({
      request: JSON.parse(request) as object,
      response: JSON.parse(response) as object,
    }));
    expect(first?.request).toMatchObject({
      model: 'claude-sonnet-5-5',
      stream: true,
      messages: [{ role: 'user' }],
    });
    expect(first?.response).toMatchObject({
      content: [
        { type: 'text', text: 'Looking.' },
        { type: 'tool_use', name: 'list_files' },
      ],
      stopReason: 'tool_use',
      error: null,
    });
  });

  it('are masked before they are cut, are of a bounded size, and never disturb the task', async () => {
    const id = await world.submit('go', { keepBodies: true });
    await world.until(id, 'completed');
    const [call] = await keptOf(id);
    const masker = new Masker();
    masker.register([{ name: 'API_KEY', value: SECRET }]);
    const bodies = new PromptBodies(world.pool);
    const log = promptLog(bodies, masker, silentLogger());
    const text = `${SECRET} ${'가'.repeat(700_000)}${SECRET}`;
    const request: ModelRequest = {
      ...builtInProfile('claude-sonnet-5-5'),
      ...{ system: 'Be brief.', tools: [], toolChoice: { type: 'none' } },
      messages: [{ role: 'user', content: [{ type: 'text', text }] }],
    };
    const answer = {
      content: [{ type: 'text', text: SECRET }],
      stopReason: 'end_turn',
      usage: null,
      error: null,
    } as never;
    await log.keep({ callId: call?.id ?? '', taskId: id, request, answer });
    const [after] = await keptOf(id);
    expect(`${after?.request}${after?.response}`).not.toContain(SECRET);
    expect(after?.request_bytes).toBeGreaterThan(2_000_000);
    expect(Buffer.byteLength(after?.request ?? '')).toBeLessThanOrEqual(1_024 * 1_024);
    expect(after?.request.endsWith('가')).toBe(true);
    await log.keep({ callId: 'mcall_gone', taskId: id, request, answer });
  });

  it('are gone after their days, and with their task', async () => {
    const [old, young, gone] = [
      await world.submit('go', { keepBodies: true }),
      await world.submit('go', { keepBodies: true }),
      await world.submit('go', { keepBodies: true }),
    ];
    for (const id of [old, young, gone]) await world.until(id, 'completed');
    await world.pool.query(
      `UPDATE model_call_bodies SET kept_at = now() - interval '8 days'
       WHERE model_call_id IN (SELECT id FROM model_calls WHERE task_id = $1)`,
      [old],
    );
    await promptLogJob(new PromptBodies(world.pool), 7, new AbortController().signal).run();
    expect([(await keptOf(old)).length, (await keptOf(young)).length]).toEqual([0, 2]);
    await world.pool.query('DELETE FROM model_calls WHERE task_id = $1', [gone]);
    expect(await keptOf(gone)).toEqual([]);
  });
});

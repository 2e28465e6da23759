/** What waits for people, on real workers: nothing is held meanwhile, nothing is lost, nothing runs unapproved. */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineScenario, type AgentTurn, type Reply } from '@bullpen/model-sim';
import { queueBackends, waitFor } from '@bullpen/testing';
import { DEFAULT_APPROVALS } from '@bullpen/core';
import { WorkerWorld } from '../test/worker-world.js';

const AGENT = { autonomy: 'agent', approvals: DEFAULT_APPROVALS } as const;

/** The prompt says what the agent does: `write X`, `ask`, `child P`, `plan`, `talk`. */
function general(turn: AgentTurn): Reply {
  const [verb, argument = ''] = (turn.prompt ?? '').split(' ');
  const [first] = turn.allToolResults;
  const write = { name: 'write_file', input: { path: 'out.txt', content: argument } };
  switch (verb) {
    case 'write':
      return first ? { text: first.text } : { toolCalls: [write] };
    case 'ask':
      return first
        ? { text: first.text }
        : { toolCalls: [{ name: 'ask_user', input: { question: 'Which?' } }] };
    case 'child': {
      if (!first)
        return { toolCalls: [{ name: 'spawn_subtask', input: { agent: 'general', prompt: 'write hi' } }] };
      if (turn.allToolResults.length > 1) return { text: 'done' };
      const { taskId } = JSON.parse(first.text) as { taskId: string };
      return { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds: [taskId] } }] };
    }
    case 'plan':
      if (!first)
        return {
          toolCalls: [write, { name: 'present_plan', input: { plan: 'Write it.', steps: ['Write'] } }],
        };
      return turn.allToolResults.length > 2 ? { text: 'written' } : { toolCalls: [write] };
    default:
      return { text: `heard: ${turn.prompt}` };
  }
}

const scenario = defineScenario({ name: 'people-spec', agents: { general } });

for (const backend of queueBackends()) {
  backend.describe('people in the loop', () => {
    let world: WorkerWorld;

    beforeAll(async () => {
      world = await WorkerWorld.open(backend, scenario);
    });
    afterEach(() => world.stopWorkers());
    afterAll(() => world.close());

    const written = async (id: string) => {
      const { rows } = await world.pool.query<{ workspace_path: string }>(
        'SELECT workspace_path FROM tasks WHERE id = $1',
        [id],
      );
      return readFile(join(rows[0]?.workspace_path ?? '', 'out.txt'), 'utf8').catch(() => null);
    };

    it('an approval is waited for without a worker, over the loss of all of them, and its answer wakes within a second', async () => {
      await world.start();
      const id = await world.submit('write hello', AGENT);
      await world.until(id, 'waiting');
      expect(await world.task(id)).toMatchObject({ wait_reason: 'approval', worker_id: null });
      await world.stopWorkers();
      expect(await written(id)).toBeNull();

      await world.start();
      const [asked] = await world.inbox(id);
      expect(asked).toMatchObject({
        kind: 'approval',
        payload: { tool: 'write_file', arguments: { content: 'hello' } },
      });
      await world.answer(asked?.id ?? '', { decision: 'approve' });
      await world.until(id, 'completed');
      expect(await written(id)).toBe('hello');
      const { rows } = await world.pool.query<{ ms: number }>(
        `SELECT extract(epoch FROM e.at - i.answered_at) * 1000 AS ms FROM interactions i
         JOIN ui_events e ON e.task_id = i.task_id AND e.type = 'attempt.started' AND e.at >= i.answered_at
         WHERE i.task_id = $1 ORDER BY e.seq LIMIT 1`,
        [id],
      );
      expect(Number(rows[0]?.ms)).toBeLessThan(1_000);
    });

    it('what was approved in another form, or refused, does not run as it was asked', async () => {
      await world.start();
      const [edited, refused] = [
        await world.submit('write first', AGENT),
        await world.submit('write second', AGENT),
      ];
      for (const id of [edited, refused]) await world.until(id, 'waiting');
      const [ask] = await world.inbox(edited);
      await world.answer(ask?.id ?? '', {
        decision: 'approve',
        arguments: { path: 'out.txt', content: 'mine' },
      });
      const [no] = await world.inbox(refused);
      await world.answer(no?.id ?? '', { decision: 'deny', remarks: 'Leave it.' });
      for (const id of [edited, refused]) await world.until(id, 'completed');
      expect([await written(edited), await written(refused)]).toEqual(['mine', null]);
      expect((await world.task(refused)).output).toContain('Leave it.');
    });

    it('a subtask asks in the inbox of its root, and its parent waits for it', async () => {
      await world.start({ WORKER_SLOTS: '1' });
      const approvals = { ...DEFAULT_APPROVALS, alwaysAllowSubtasks: true };
      const root = await world.submit('child', { ...AGENT, approvals });
      await world.until(root, 'waiting');
      const [ask] = await waitForInbox(root);
      expect(ask?.task_id).not.toBe(root);
      await world.answer(ask?.id ?? '', { decision: 'approve' });
      await world.until(root, 'completed');
    });

    it('a question is answered in words, and approves nothing', async () => {
      await world.start();
      const id = await world.submit('ask', AGENT);
      await world.until(id, 'waiting');
      expect(await world.task(id)).toMatchObject({ wait_reason: 'answer' });
      const [question] = await world.inbox(id);
      await world.answer(question?.id ?? '', { text: 'the left one' });
      await world.until(id, 'completed');
      expect((await world.task(id)).output).toContain('the left one');
    });

    it('a plan changes nothing before it is accepted, and is carried out then', async () => {
      await world.start();
      const approvals = { ...DEFAULT_APPROVALS, alwaysAllowWrite: true };
      const id = await world.submit('plan it', { autonomy: 'plan', approvals });
      await world.until(id, 'waiting');
      expect(await written(id)).toBeNull();
      const [plan] = await world.inbox(id);
      expect(plan).toMatchObject({ kind: 'plan' });
      await world.answer(plan?.id ?? '', { decision: 'accept', autonomy: 'background' });
      await world.until(id, 'completed');
      expect(await written(id)).toBe('it');
    });

    it('a chat answers, waits for the next word, and ends only when somebody ends it', async () => {
      await world.start();
      const id = await world.submit('talk', { autonomy: 'chat' });
      await world.until(id, 'waiting');
      expect(await world.task(id)).toMatchObject({ wait_reason: 'message' });
      await world.commands.sendMessage('default', id, { id: 'inbox_1' + backend.name, text: 'And now?' });
      await world.until(id, 'waiting');
      const answers = async () => {
        const { rows } = await world.pool.query(
          `SELECT 1 FROM api_messages WHERE task_id = $1 AND role = 'assistant'`,
          [id],
        );
        return rows.length;
      };
      await waitFor(async () => (await answers()) === 2, { what: 'the second answer' });
      await world.commands.cancel('default', id, null);
      await world.until(id, 'cancelled');
      await world.expectInvariants();
    });

    const waitForInbox = async (root: string) => {
      await waitFor(async () => (await world.inbox(root)).length > 0, { what: 'an ask in the tree' });
      return world.inbox(root);
    };
  });
}

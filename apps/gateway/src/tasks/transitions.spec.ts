import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Problem, TaskView, TransitionsView } from '@bullpen/contracts';
import { problemFrom, startTestGateway, type TestGateway } from '../testing/test-gateway.js';

let bullpen: TestGateway;
beforeAll(async () => {
  bullpen = await startTestGateway();
});
afterAll(() => bullpen.close());

async function submitted(body: object = { workflow: 'fsm' }): Promise<TaskView> {
  return TaskView.parse(await (await bullpen.post('/v1/tasks', { prompt: 'x', ...body })).json());
}
const look = async (id: string): Promise<TransitionsView> =>
  TransitionsView.parse(await (await bullpen.call(`/v1/tasks/${id}/transitions`)).json());
const fire = (id: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
  bullpen.post(`/v1/tasks/${id}/transitions`, body, headers);

describe('the work modes of a task', () => {
  it('are idle at first, with every trigger that leads out of it', async () => {
    const task = await submitted();
    expect(task).toMatchObject({ workflow: 'fsm', mode: 'idle' });
    const view = await look(task.id);
    expect(view).toMatchObject({ workflow: 'fsm', mode: 'idle', history: [] });
    expect(view.possible).toContainEqual(
      expect.objectContaining({ trigger: 'code_intent', to: 'implementation', priority: 10 }),
    );
  });

  it('change when somebody fires a trigger, and the history says who and why', async () => {
    const { id } = await submitted();
    const view = TransitionsView.parse(
      await (await fire(id, { trigger: 'test_intent', reason: 'run them' })).json(),
    );
    expect(view).toMatchObject({
      mode: 'test',
      history: [{ seq: 1, from: 'idle', to: 'test', source: 'person', by: 'test', reason: 'run them' }],
      impossible: [{ trigger: 'tests_passed', to: 'qa' }],
    });
    expect(await look(id)).toEqual(view);
    expect(TaskView.parse(await (await bullpen.call(`/v1/tasks/${id}`)).json()).mode).toBe('test');
  });

  it('stay when a trigger leads nowhere: it is refused with those that would work, and recorded', async () => {
    const { id } = await submitted();
    await fire(id, { trigger: 'test_intent' });
    const response = await fire(id, { trigger: 'tests_passed' });
    const problem = Problem.parse(await response.json());
    expect([response.status, problem.code]).toEqual([409, 'transition_refused']);
    expect(problem.detail).toMatch(/tests_passed needs .* Possible: test_failed, reproduced, abandoned\.$/);
    expect(problem.nextActions).toContainEqual(
      expect.objectContaining({
        action: 'transition.fire',
        trigger: 'test_failed',
        request: { method: 'POST', path: `/v1/tasks/${id}/transitions`, body: { trigger: 'test_failed' } },
      }),
    );
    const { mode, history } = await look(id);
    expect([mode, history.at(-1)]).toMatchObject(['test', { seq: 2, to: null, outcome: 'refused' }]);
  });

  it('move once for a repeated request, and not at all when somebody else was first', async () => {
    const { id } = await submitted();
    const headers = { 'idempotency-key': 'one-move' };
    const [first, again] = [
      await fire(id, { trigger: 'code_intent', ifSeq: 0 }, headers),
      await fire(id, { trigger: 'code_intent', ifSeq: 0 }, headers),
    ];
    expect(await again.json()).toEqual(await first.json());
    expect(await problemFrom(await fire(id, { trigger: 'code_complete', ifSeq: 0 }))).toMatchObject({
      status: 409,
      code: 'revision_conflict',
    });
    expect((await look(id)).history).toHaveLength(1);
  });

  it('are none of a free task, and of one that has ended they are history', async () => {
    const free = await submitted({});
    expect(await look(free.id)).toMatchObject({ workflow: 'free', mode: null, possible: [], history: [] });
    expect(await problemFrom(await fire(free.id, { trigger: 'code_intent' }))).toMatchObject({
      code: 'transition_refused',
      detail: expect.stringContaining('works without modes'),
    });
    const ended = await submitted();
    await bullpen.post(`/v1/tasks/${ended.id}/cancel`, {});
    expect(await problemFrom(await fire(ended.id, { trigger: 'code_intent' }))).toMatchObject({
      code: 'task_finished',
    });
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { TransitionsView } from '@bullpen/contracts';
import { startFakeGateway, type FakeGateway } from '../../test/fake-gateway.js';
import { runCli } from '../../test/fake-terminal.js';

let gateway: FakeGateway;
beforeEach(async () => {
  gateway = await startFakeGateway();
});
afterEach(() => gateway.close());

const run = (...args: string[]) => runCli(args, { env: { BULLPEN_URL: gateway.url, BULLPEN_API_KEY: 'k1' } });

const row = (seq: number, from: string, trigger: string, to: string | null) => ({
  ...{ seq, at: `2026-01-01T00:00:0${seq}.000Z`, from, trigger, to, source: 'agent' as const, by: null },
  ...{ reason: 'I looked', refusal: to === null ? `${from} has no trigger ${trigger}.` : null, possible: [] },
  outcome: to === null ? ('refused' as const) : ('moved' as const),
});

function inTest(): TransitionsView {
  return {
    ...{ taskId: gateway.task.id, workflow: 'fsm', mode: 'test' },
    possible: [
      { trigger: 'test_failed', to: 'implementation', priority: 10, when: null, means: 'tests fail' },
    ],
    impossible: [{ trigger: 'tests_passed', to: 'qa', why: 'It needs tests that passed.' }],
    history: [
      row(1, 'idle', 'code_intent', 'implementation'),
      row(2, 'implementation', 'nonsense', null),
      row(3, 'implementation', 'code_complete', 'test'),
    ],
  };
}

describe('tasks transitions', () => {
  it('shows the mode, the way with what was refused, and what leads on and what does not', async () => {
    const path = `/v1/tasks/${gateway.task.id}/transitions`;
    gateway.answers.set(path, inTest());
    const { code, out } = await run('tasks', 'transitions', gateway.task.id);
    expect(code).toBe(0);
    expect(out).toContain('Mode  test');
    expect(out).toMatch(/2 .*nonsense +refused +agent +implementation has no trigger nonsense\./);
    expect(out).toContain('test_failed -> implementation: tests fail');
    expect(out).toContain('tests_passed -> qa: It needs tests that passed.');
    const json = await run('tasks', 'transitions', gateway.task.id, '--json');
    expect(JSON.parse(json.out)).toEqual(inTest());
  });

  it('says that a free task has none', async () => {
    const path = `/v1/tasks/${gateway.task.id}/transitions`;
    gateway.answers.set(path, {
      ...{ taskId: gateway.task.id, workflow: 'free', mode: null, possible: [], impossible: [], history: [] },
    });
    expect(await run('tasks', 'transitions', gateway.task.id)).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining('works without modes'),
    });
  });

  it('stand in tasks show, with the way in a line', async () => {
    gateway.answers.set(`/v1/tasks/${gateway.task.id}/transitions`, inTest());
    Object.assign(gateway.task, { workflow: 'fsm', mode: 'test' });
    const { out } = await run('tasks', 'show', gateway.task.id);
    expect(out).toMatch(/Mode +test/);
    expect(out).toContain('idle > implementation > test');
  });
});

describe('tasks transition', () => {
  it('fires a trigger with its reason, and says where the task is', async () => {
    gateway.answers.set(`/v1/tasks/${gateway.task.id}/transitions`, inTest());
    expect(
      await run('tasks', 'transition', gateway.task.id, 'code_complete', '--reason', 'it is done'),
    ).toMatchObject({ code: 0, err: `${gateway.task.id} is now in mode test\n` });
    expect(gateway.requests.at(-1)).toMatchObject({
      method: 'POST',
      body: { trigger: 'code_complete', reason: 'it is done' },
    });
  });

  it('says of a refusal what would have worked, as commands to type', async () => {
    const { id } = gateway.task;
    gateway.problems.set(`POST /v1/tasks/${id}/transitions`, {
      ...{ status: 409, code: 'transition_refused', detail: 'idle has no trigger x. Possible: code_intent.' },
      nextActions: [
        { action: 'transition.fire', taskId: id, trigger: 'code_intent', text: 'Fire code_intent.' },
        { action: 'transition.list', taskId: id, text: 'Look.' },
      ],
    });
    const { code, err } = await run('tasks', 'transition', id, 'x');
    expect(code).not.toBe(0);
    expect(err).toContain('Possible: code_intent.');
    expect(err).toContain(`bullpen tasks transition ${id} code_intent`);
    expect(err).toContain(`bullpen tasks transitions ${id}`);
  });
});

describe('run', () => {
  it('hands in a task that works in modes, and one that is never condensed', async () => {
    await run('submit', 'x', '--workflow', 'fsm', '--mode-asks', 'everything', '--no-condense');
    expect(gateway.requests.at(-1)?.body).toMatchObject({
      ...{ workflow: 'fsm', modeAsks: 'everything', condense: false },
    });
    await run('submit', 'x');
    expect(gateway.requests.at(-1)?.body).not.toHaveProperty('condense');
    expect(await run('submit', 'x', '--mode-asks', 'nothing')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--mode-asks needs --workflow fsm'),
    });
  });
});

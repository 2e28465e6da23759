/** Which work mode unclear words mean, asked of a small model: paid once, and never in the way of the task. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentDefinition, ModelProfile } from '@bullpen/contracts';
import type { MemoryTask } from '@bullpen/core/testing';
import { aDefinition, type ScriptedAnswer } from '@bullpen/testing';
import { crashAt, World } from '../../test/loop-world.js';
import { SOME_MACHINE } from '../../test/some-modes.js';
import { PROFILE, TalkingModel } from '../../test/talking-model.js';

const HELPER: ModelProfile = {
  ...PROFILE,
  ...{ name: 'cheap', model: 'claude-haiku-4-5', price: { input: 0.125, output: 0.5, above: [] } },
};
const UNCLEAR = 'the login thing';

describe('words that no rule is sure of', () => {
  let world: World;
  let asked: string[] = [];

  beforeEach(() => {
    world = new World();
    asked = [];
  });

  /** Runs a task with these words; the helper gives the replies one after the other. */
  async function run(
    replies: readonly ScriptedAnswer[],
    more: Partial<AgentDefinition> = {},
    prompt = UNCLEAR,
  ): Promise<MemoryTask> {
    let given = 0;
    const model = new TalkingModel(({ name, messages }) => {
      if (name !== 'cheap') return { text: 'Done.' };
      const [block] = messages[0]?.content ?? [];
      asked.push(block?.type === 'text' ? block.text : '');
      return replies[given++] ?? { text: 'unclear' };
    });
    world.model.stream = (...request) => model.stream(...request);
    world.store.create({
      ...{ id: 'task_root', prompt },
      definition: aDefinition({
        tools: ['read'],
        machine: SOME_MACHINE,
        profiles: [PROFILE],
        helper: HELPER,
        ...more,
      }),
    });
    await world.drain();
    return world.store.get('task_root');
  }
  const path = (task: MemoryTask) =>
    task.transitions.map(({ from, trigger, to, source }) => `${from} ${trigger} ${to} ${source}`);
  const calls = (task: MemoryTask) => [...task.modelCalls.values()].filter(({ phase }) => phase === 'intent');

  it('are asked about once, and the task begins in the mode that they are taken for', async () => {
    const task = await run([{ text: '`debug`.' }]);
    expect(path(task)).toEqual(['idle error_intent debug intent']);
    expect(task.transitions[0]?.reason).toBe('claude-haiku-4-5 takes it for debug');
    expect(task).toMatchObject({ state: 'completed', record: { mode: 'debug' } });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(`<request>\n${UNCLEAR}\n</request>`);
    expect(asked[0]).toContain('- context_navigation: ');
    // A mode that idle does not lead to is not to choose from.
    expect(asked[0]).not.toContain('- test: ');
    expect(calls(task)).toMatchObject([{ profile: 'cheap', status: 'done' }]);
    expect(task.usage.filter(({ model }) => model === HELPER.model)).toHaveLength(1);
    expect(world.store.account('task_root').reserved).toBe(0n);
  });

  it.each([
    ['names none', { text: 'I would say that it is about the login.' }],
    ['cannot tell', { text: 'unclear' }],
    ['is cut', { text: 'debug', stopReason: 'max_tokens' }],
    ['fails', { error: { class: 'overload' as const } }],
    ['refuses the key', { error: { class: 'authentication' as const } }],
  ])('stay as they are when the reply %s: the task goes on, and nobody is asked again', async (_, reply) => {
    const task = await run([reply]);
    expect(path(task)).toEqual([]);
    expect(task).toMatchObject({ state: 'completed', record: { mode: 'idle' } });
    expect(calls(task)).toMatchObject([{ status: 'failed', errorClass: 'unclear' }]);
    expect(world.store.account('task_root').reserved).toBe(0n);
  });

  it.each([
    ['without a helper profile', { helper: null }, UNCLEAR],
    ['where the rules are sure', {}, 'Implement a minus method.'],
    ['of small talk', {}, 'ㅋㅋ'],
  ])('are not asked about %s', async (_, more, prompt) => {
    const task = await run([], more, prompt);
    expect(task.state).toBe('completed');
    expect(asked).toEqual([]);
  });

  it('are long at times: what is asked has their beginning and their end', async () => {
    await run([{ text: 'debug' }], {}, `${UNCLEAR}\n${'w '.repeat(5_000)}\nthe end of it`);
    expect(asked[0]?.length).toBeLessThan(6_000);
    expect(asked[0]).toContain(UNCLEAR);
    expect(asked[0]).toContain('the end of it');
  });

  it.each(['before', 'after'] as const)(
    'lead into one mode, with one row, when the worker dies right %s any commit',
    async (when) => {
      for (let n = 1; n <= 12; n += 1) {
        world = new World();
        const restore = world.store.commit.bind(world.store);
        crashAt(world.store, n, when);
        const first = await run([{ text: 'debug' }, { text: 'debug' }]).catch(() => null);
        const task = first ?? world.store.get('task_root');
        world.store.commit = restore;
        if (task.state === 'running') world.store.expire('task_root');
        await world.drain();
        expect([n, path(task), task.state]).toEqual([n, ['idle error_intent debug intent'], 'completed']);
        expect(calls(task).filter(({ status }) => status === 'done')).toHaveLength(1);
        expect(world.store.account('task_root').reserved).toBe(0n);
      }
    },
  );
});

/** How full the window is: what is recorded with each model call, and what the user is told. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { NO_TOKENS } from '@bullpen/contracts';
import type { ScriptedStep } from '@bullpen/testing';
import type { CountTokens } from '../ports/count-tokens.js';
import { World } from '../../test/loop-world.js';
import { builtInProfile } from '../task/model-facts.js';
import { messageTokens } from '../context/size.js';

let world: World;
beforeEach(() => {
  world = new World();
});

/** A window of 20,000 tokens, of which the answer may have 4,000: the budget is 16,000, the threshold 14,400. */
const SMALL = {
  profiles: [{ ...builtInProfile('claude-sonnet-5-5'), contextWindow: 20_000, maxOutputTokens: 4_000 }],
};

/** An answer after which the provider says that the window holds so many tokens. */
const reading = (tokens: number, n = tokens): ScriptedStep => ({
  toolCalls: [{ name: 'read', input: { n } }],
  usage: { ...NO_TOKENS, inputTokens: 100, cacheReadTokens: tokens - 150, outputTokens: 50 },
});

const gauges = (task = world.store.get('task_root')) =>
  [...task.modelCalls.values()].map(({ context }) => context);
const warnings = (task = world.store.get('task_root')) =>
  task.events.flatMap(({ type, data }) => (type === 'context.warning' ? [data.percent] : []));

describe('the gauge of a task', () => {
  it('shows the figure of the provider with each answer, cached parts and output counted', async () => {
    const task = world.submit(SMALL, reading(3_000), reading(5_000), { text: 'Done.' });
    await world.drain();
    expect(gauges().map((context) => context?.tokens)).toEqual([3_000, 5_000, expect.any(Number)]);
    expect(gauges()[1]).toMatchObject({
      window: 20_000,
      reservedOutput: 4_000,
      budget: 16_000,
      threshold: 14_400,
      share: 5_000 / 16_000,
      isEstimate: false,
    });
    const used = task.events.flatMap(({ type, data }) => (type === 'usage.recorded' ? [data.context] : []));
    expect(used).toEqual(gauges());
  });

  it('starts from that figure after a restart, and estimates only what came since', async () => {
    const started: (number | undefined)[] = [];
    const commit = world.store.commit.bind(world.store);
    world.store.commit = (lease, step) => {
      for (const call of step.modelCalls) if (call.status === 'started') started.push(call.context?.tokens);
      return commit(lease, step);
    };
    const korean = '결제 서비스의 주문 취소 로직을 고쳐 주세요. '.repeat(120);
    world.read.run = () => ({ kind: 'result', output: korean });
    const task = world.submit(SMALL, reading(6_400), { text: 'Done.' });
    // The next worker has nothing but the rows.
    let drains = 1;
    await world.drain({ ...world.deps(), shouldYield: () => task.record.turns === 1 && drains-- > 0 });
    expect(task.record.turns).toBe(2);
    const sent = world.model.requests.at(-1)?.messages ?? [];
    expect(started.at(-1)).toBe(6_400 + messageTokens(sent[2] ?? { role: 'user', content: [] }));
    expect(warnings()).toEqual([]);
  });

  it('is an estimate, and says so, with an answer whose figures cannot be true', async () => {
    world.submit(SMALL, { toolCalls: [{ name: 'read' }], usage: NO_TOKENS }, { text: 'Done.' });
    await world.drain();
    const [first] = gauges();
    expect(first).toMatchObject({ isEstimate: true, messages: expect.any(Number) });
    expect(first?.tokens).toBeGreaterThan(first?.system ?? 0);
    expect(world.store.get('task_root').messages[1]?.contextTokens).toBeUndefined();
  });
});

describe('the warnings of a window that fills up', () => {
  it('come at 80 and at 100 percent of the budget, each once for each time', async () => {
    const steps = [12_700, 12_800, 12_900, 15_900, 16_000, 16_100];
    world.submit({ ...SMALL, condense: false }, ...steps.map((tokens) => reading(tokens)), { text: 'Done.' });
    await world.drain();
    expect(warnings()).toEqual([80, 100]);
  });

  it('come again when it has been emptied meanwhile', async () => {
    world.submit(SMALL, reading(13_000), reading(5_000), reading(13_001), { text: 'Done.' });
    await world.drain();
    expect(warnings()).toEqual([80, 80]);
  });

  it('come before the first answer when the task itself is that long', async () => {
    const { events } = world.submit(SMALL, { text: 'Done.' });
    world.store.send('task_root', { id: 'inbox_1', text: 'word '.repeat(14_000) });
    await world.drain();
    const types = events.map(({ type }) => type).filter((type) => /^(context|usage)\./.test(type));
    expect(types).toEqual(['context.warning', 'usage.recorded']);
    expect(warnings()).toEqual([80]);
  });
});

describe('a count of the provider', () => {
  const counting = (count: number | null) => {
    const asked: string[] = [];
    const doubted = new Set<string>();
    const countTokens: CountTokens = {
      count: ({ name }) => {
        asked.push(name);
        return Promise.resolve(doubted.has(name) ? null : count);
      },
      distrust: (name) => !doubted.has(name) && doubted.add(name) !== undefined,
    };
    return { asked, countTokens };
  };
  const doubts = () =>
    world.store
      .get('task_root')
      .events.flatMap(({ type, data }) => (type === 'context.count_doubted' ? [data] : []));

  it('is asked for near a limit only, and takes the place of the estimate', async () => {
    const { asked, countTokens } = counting(14_000);
    world.submit(SMALL, reading(5_000), reading(14_100), reading(2_000), { text: 'Done.' });
    await world.drain({ ...world.deps(), countTokens });
    expect(asked).toHaveLength(1);
    expect(world.model.requests.length).toBe(4);
    expect(doubts()).toEqual([]);
  });

  it('leaves the estimate, marked, where there is none', async () => {
    const { asked, countTokens } = counting(null);
    const started: boolean[] = [];
    const commit = world.store.commit.bind(world.store);
    world.store.commit = (lease, step) => {
      for (const { status, context } of step.modelCalls)
        if (status === 'started') started.push(context?.isEstimate === true);
      return commit(lease, step);
    };
    const task = world.submit(SMALL, reading(14_300), { text: 'Done.' });
    await world.drain({ ...world.deps(), countTokens });
    expect(asked).toHaveLength(1);
    expect(started).toEqual([true, true]);
    expect(task.state).toBe('completed');
    expect([...task.modelCalls.values()].every(({ status }) => status === 'done')).toBe(true);
    expect(world.slept).toEqual([]);
  });

  it('that leaves out part of the request decides nothing any more, which is said once', async () => {
    const { countTokens } = counting(48);
    const near = [14_000, 14_000, 14_001, 14_002].map((tokens, n) => reading(tokens, n));
    world.submit(SMALL, ...near, { text: 'Done.' });
    await world.drain({ ...world.deps(), countTokens });
    expect(doubts()).toEqual([{ profile: 'claude-sonnet-5-5', counted: 48, billed: 13_950 }]);
    expect(gauges().at(-2)?.tokens).toBe(14_002);
  });
});

/** Conversations that outgrow their window: what is done about it, when, and what of it is lost in a crash. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AgentDefinition, DurableEventBody, ModelProfile } from '@bullpen/contracts';
import { historyProblems, type ModelRequest } from '@bullpen/core';
import { aDefinition, type ScriptedAnswer } from '@bullpen/testing';
import type { MemoryTask } from '@bullpen/core/testing';
import { countingTool, World } from '../../test/loop-world.js';
import { PROFILE, reader, SUMMARY, TalkingModel, WORDS } from '../../test/talking-model.js';
import { contextSize } from '../context/size.js';
import { CONDENSE_ORDER } from '../conversation/summary.js';

let world: World;
beforeEach(() => {
  world = new World();
  world.read.run = () => ({ kind: 'result', output: WORDS.repeat(40) });
});

async function run(model: TalkingModel, definition: Partial<AgentDefinition> = {}) {
  const limits = {
    turns: 500,
    activeMs: 3_600_000,
    tokens: 100_000_000,
    costUsd: '50',
    subtasks: 9,
    depth: 5,
  };
  const task = world.submit({ profiles: [PROFILE], maxOutputTokens: 1_000, limits, ...definition });
  await world.drain(world.deps({ model }));
  return task;
}

const sizeOf = (request: ModelRequest) => contextSize(request, PROFILE.contextWindow, null);
function told<Type extends DurableEventBody['type']>(task: MemoryTask, type: Type) {
  return task.events.filter(
    (event): event is Extract<DurableEventBody, { type: Type }> => event.type === type,
  );
}
const paidSummaries = (task: MemoryTask) =>
  [...task.modelCalls.values()].filter(({ phase, status }) => phase === 'condense' && status === 'done');
const marks = (task: MemoryTask, kind: string) =>
  task.messages.filter(({ reduction }) => reduction?.kind === kind);
const textOf = (request: ModelRequest | undefined) => JSON.stringify(request?.messages);

/** The request after a summary, without what was said since. */
const afterSummary = (model: TalkingModel, nth: number) =>
  model.requests[model.requests.indexOf(model.summaries[nth] as ModelRequest) + 1];

describe('a conversation that outgrows its window', () => {
  it('is summed up as often as needed, and its task completes', async () => {
    const model = reader(80);
    const task = await run(model);
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'Done after 80 turns.' });
    expect(model.summaries.length).toBeGreaterThan(2);
    expect(paidSummaries(task)).toHaveLength(model.summaries.length);
    expect(marks(task, 'condense')).toHaveLength(model.summaries.length);
    for (const request of model.requests) {
      expect(historyProblems(request.messages)).toEqual([]);
      expect(sizeOf(request).tokens).toBeLessThan(sizeOf(request).budget);
      expect(request.messages[0]).toEqual(model.requests[0]?.messages[0]);
    }
    expect(world.store.account('task_root').reserved).toBe(0n);
    expect(task.usage).toHaveLength(81 + model.summaries.length);
    const spent = task.usage.reduce((sum, { costNanoUsd }) => sum + (costNanoUsd ?? 0n), 0n);
    expect(world.store.account('task_root').spent).toBe(spent);
  });

  it('has one summary at a time, which does not grow with their number', async () => {
    const model = reader(120);
    await run(model);
    expect(model.summaries.length).toBeGreaterThan(4);
    const sizes = model.summaries.map((_, nth) => {
      const request = afterSummary(model, nth);
      expect(textOf(request).split('This is a record of the conversation').length - 1).toBe(1);
      return textOf(request).length;
    });
    expect(sizes.at(-1)).toBeLessThan((sizes[0] ?? 0) * 1.1);
  });

  it('reads the cache with the order to sum up: same system prompt, tools, setting and beginning as the call before it', async () => {
    const model = reader(40);
    await run(model);
    const [summary] = model.summaries;
    const before = model.requests[model.requests.indexOf(summary as ModelRequest) - 1];
    expect({ ...summary, messages: [] }).toEqual({ ...before, messages: [] });
    const prefix = summary?.messages.slice(0, -1) ?? [];
    expect(prefix.length).toBeGreaterThan(5);
    expect(prefix).toEqual(before?.messages.slice(0, prefix.length));
  });

  it('keeps the order to sum up out of every history', async () => {
    const model = reader(60);
    const task = await run(model);
    expect(model.summaries.length).toBeGreaterThan(1);
    expect(JSON.stringify([task.messages, task.events])).not.toContain(CONDENSE_ORDER.slice(0, 60));
    for (const request of model.requests.filter((one) => !model.summaries.includes(one)))
      expect(textOf(request)).not.toContain(CONDENSE_ORDER.slice(0, 60));
  });

  it('keeps the newest turns to the byte, thinking and signatures included', async () => {
    const model = reader(40);
    await run(model);
    const [summary] = model.summaries;
    const before = model.requests[model.requests.indexOf(summary as ModelRequest) - 1];
    const kept = afterSummary(model, 0)?.messages.slice(2) ?? [];
    expect(kept.length).toBeGreaterThan(2);
    // All of them but the newest, with which it had become too long, had been sent before.
    expect(before?.messages.slice(-kept.length + 2)).toEqual(kept.slice(0, -2));
    expect(kept[0]?.content[0]).toMatchObject({ type: 'thinking', signature: expect.any(String) as unknown });
  });

  it('tells both histories what was summed up, how much that saved and what it cost', async () => {
    const task = await run(reader(40));
    const [event] = told(task, 'context.condensed');
    expect(event?.data).toMatchObject({
      text: expect.stringContaining('4711') as unknown,
      costUsd: expect.stringMatching(/^0\.0\d/) as unknown,
    });
    const { tokensBefore = 0, tokensAfter, messages, messageId } = event?.data ?? {};
    expect(tokensAfter).toBeLessThan(tokensBefore * 0.7);
    expect(messages).toBeGreaterThan(5);
    expect(task.messages.find(({ id }) => id === messageId)?.reduction).toMatchObject({
      kind: 'condense',
    });
    // Its words are no words of anybody in the conversation.
    expect(told(task, 'message.user')).toHaveLength(1);
  });

  it('is measured after the results and before the request: one turn may bring more than there is room for', async () => {
    let asked = 0;
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        id: `toolu_${asked}_${n}`,
        name: 'read',
        input: { asked, n },
      }));
    const model = new TalkingModel((_, isSummary) => {
      if (isSummary) return { text: SUMMARY };
      asked += 1;
      return asked > 8 ? { text: 'Done.' } : { toolCalls: many(asked === 8 ? 6 : 1) };
    });
    const task = await run(model);
    expect(task.outcome).toMatchObject({ state: 'completed' });
    expect(model.summaries).toHaveLength(1);
    for (const request of model.requests) expect(sizeOf(request).tokens).toBeLessThan(sizeOf(request).budget);
  });

  it('starts no call for itself: nothing is summed up when the agent has answered', async () => {
    world.read.run = () => ({ kind: 'result', output: WORDS.repeat(200) });
    const model = reader(3);
    await run(model, { conversation: true });
    expect(model.summaries).toHaveLength(0);
    expect(model.requests).toHaveLength(4);
  });

  it('says which requests are finished and which one is open', async () => {
    let asked = 0;
    const model = new TalkingModel((_, isSummary) => {
      if (isSummary) return { text: SUMMARY };
      asked += 1;
      const call = { id: `toolu_${asked}`, name: 'read', input: { asked } };
      return asked === 1 || asked > 60 ? { text: `Answer ${asked}` } : { toolCalls: [call] };
    });
    await run(model, { conversation: true });
    world.store.send('task_root', { id: 'inbox_1', text: 'Which tests cover --fast?' });
    await world.drain(world.deps({ model }));
    expect(model.summaries.length).toBeGreaterThan(1);
    for (const [nth] of model.summaries.entries()) {
      expect(textOf(afterSummary(model, nth))).toContain('The first message: finished');
      expect(textOf(afterSummary(model, nth))).toContain('Open: Which tests cover --fast?');
    }
  });

  it('hears what the user writes while it is summed up', async () => {
    let asked = 0;
    const model: TalkingModel = new TalkingModel((_, isSummary) => {
      if (isSummary && model.summaries.length === 1)
        world.store.send('task_root', { id: 'inbox_1', text: 'Mind the gap.' });
      if (isSummary) return { text: SUMMARY };
      asked += 1;
      return asked > 30
        ? { text: 'Done.' }
        : { toolCalls: [{ id: `toolu_${asked}`, name: 'read', input: { asked } }] };
    });
    await run(model);
    expect(textOf(afterSummary(model, 0))).toContain('Mind the gap.');
  });

  it('names the subtasks that run, whatever the model wrote', async () => {
    world.agents.push(aDefinition({ name: 'helper' }));
    let asked = 0;
    const model = new TalkingModel(({ system }, isSummary) => {
      if (isSummary) return { text: SUMMARY };
      if (system.includes('helper')) return { text: 'Helped.' };
      asked += 1;
      if (asked === 1)
        return {
          toolCalls: [{ name: 'spawn_subtask', input: { agent: 'helper', title: 'Help', prompt: 'Help.' } }],
        };
      return asked > 40
        ? { text: 'Done.' }
        : { toolCalls: [{ id: `toolu_${asked}`, name: 'read', input: { asked } }] };
    });
    const task = await run(model, { tools: ['read', 'spawn_subtask'] });
    expect(task.outcome?.state).toBe('completed');
    const child = [...world.store.tasks.keys()].find((id) => id !== 'task_root');
    expect(child).toBeDefined();
    expect(textOf(afterSummary(model, 0))).toContain(`- ${child} (Help): queued`);
  });
});

describe('a summary by a profile of its own', () => {
  const helper: ModelProfile = {
    ...PROFILE,
    ...{ name: 'cheap', model: 'claude-haiku-4-5', contextWindow: 100_000 },
    price: { input: 0.125, output: 0.5, above: [] },
  };
  const calls = (task: MemoryTask) =>
    [...task.modelCalls.values()].filter(({ phase }) => phase === 'condense');

  it('is asked of that profile, all as text, and costs what its model costs', async () => {
    const model = reader(40);
    const task = await run(model, { helper });
    expect(task.outcome).toMatchObject({ state: 'completed' });
    expect(model.summaries.length).toBeGreaterThan(1);
    for (const request of model.summaries) {
      expect(request).toMatchObject({
        name: 'cheap',
        model: 'claude-haiku-4-5',
        contextWindow: 100_000,
        tools: [],
      });
      expect(request.system).toBe(model.requests[0]?.system);
      expect(new Set(request.messages.flatMap(({ content }) => content.map(({ type }) => type)))).toEqual(
        new Set(['text']),
      );
      expect(historyProblems(request.messages)).toEqual([]);
    }
    expect(calls(task).map(({ profile }) => profile)).toEqual(model.summaries.map(() => 'cheap'));
    const paid = task.usage.filter(({ model: name }) => name === 'claude-haiku-4-5');
    expect(paid).toHaveLength(model.summaries.length);
    expect(paid.map(({ price }) => price?.inputNanoUsd)).toEqual(paid.map(() => 125n));
    expect(world.store.account('task_root').reserved).toBe(0n);
  });

  it.each([
    ['fails', { error: { class: 'overload' as const } }],
    ['refuses the key', { error: { class: 'authentication' as const } }],
    ['says nothing that is one', { text: '👍' }],
  ])(
    "is asked of the task's own profile when the other one %s, at once and in that turn only",
    async (_, bad) => {
      let asked = 0;
      const model: TalkingModel = new TalkingModel((request, isSummary) => {
        if (isSummary) return request.name === 'cheap' ? bad : { text: SUMMARY };
        asked += 1;
        return asked > 40
          ? { text: 'Done.' }
          : { toolCalls: [{ id: `toolu_${asked}`, name: 'read', input: { part: asked } }] };
      });
      const task = await run(model, { helper });
      expect(task.outcome).toMatchObject({ state: 'completed' });
      expect(model.summaries.map(({ name }) => name).slice(0, 4)).toEqual([
        'cheap',
        'small',
        'cheap',
        'small',
      ]);
      expect(calls(task)[0]).toMatchObject({ profile: 'cheap', status: 'failed', errorClass: 'helper' });
      expect(world.store.account('task_root').reserved).toBe(0n);
    },
  );

  it("is asked of the task's own profile where the window of the other one cannot hold it", async () => {
    const model = reader(40);
    const task = await run(model, { helper: { ...helper, contextWindow: 5_000 } });
    expect(task.outcome).toMatchObject({ state: 'completed' });
    expect(new Set(model.summaries.map(({ name }) => name))).toEqual(new Set(['small']));
  });
});

describe('a window that hardly holds the fixed part', () => {
  const tight = { ...PROFILE, contextWindow: 40_000, maxOutputTokens: 32_000 };

  it('sums up nothing where nothing was said yet: a window of 40,000, 32,000 of them for the answer, and "hi"', async () => {
    const model = new TalkingModel(() => ({ text: 'Hello.' }));
    // About 7,600 tokens of the 8,000 that are left, which is above the threshold.
    const systemPrompt = 'Be kind to everybody who writes. '.repeat(1_080);
    const task = world.submit({
      profiles: [tight],
      maxOutputTokens: 32_000,
      systemPrompt,
      prompt: 'hi',
    } as never);
    await world.drain(world.deps({ model }));
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'Hello.' });
    expect(model.requests).toHaveLength(1);
    expect(sizeOf(model.requests[0] as ModelRequest).tokens).toBeGreaterThan(7_200);
    expect(task.messages.some(({ reduction }) => reduction !== undefined)).toBe(false);
  });
});

describe('old outputs', () => {
  /** Enough of them in one conversation, beside little else. */
  const withReader = () => {
    world.tools = [
      world.read,
      countingTool('read_tool_output', 'read', 'repeat', (args) => ({
        kind: 'result',
        output: JSON.stringify(args),
      })),
    ];
    return { tools: ['read', 'read_tool_output'] };
  };

  it('are masked before anything is summed up, in strides, and can be read by range', async () => {
    const model = reader(30);
    const task = await run(model, withReader());
    expect(task.outcome?.state).toBe('completed');
    const [first] = task.messages.filter(({ reduction }) => reduction !== undefined);
    expect(first?.reduction?.kind).toBe('mask');
    const masks = marks(task, 'mask').length;
    expect(masks).toBeGreaterThan(0);
    expect(masks).toBeLessThan(10);
    const [line, id] =
      /Left out to save room: this output of [\d,]+ characters.*?callId\\": \\"(toolu_1)/.exec(
        textOf(model.requests.at(-1)),
      ) ?? [];
    const later = model.requests.map(textOf).find((text) => text.includes('Left out to save room'));
    expect(later).toBeDefined();
    void line;
    expect(await world.store.storedOutput('task_root', id ?? 'toolu_1')).toBe(WORDS.repeat(40));
    expect(told(task, 'context.masked')[0]?.data).toMatchObject({ outputs: expect.any(Number) as unknown });
  });

  it('stay to the byte between two strides, so that the cache is read', async () => {
    const model = reader(30);
    await run(model, withReader());
    let breaks = 0;
    model.requests.forEach((request, at) => {
      const before = model.requests[at - 1];
      if (before === undefined || model.summaries.includes(before) || model.summaries.includes(request))
        return;
      const same = before.messages.every(
        (message, n) => JSON.stringify(message) === JSON.stringify(request.messages[n]),
      );
      if (!same) breaks += 1;
    });
    expect(breaks).toBeGreaterThan(0);
    expect(breaks).toBeLessThan(10);
  });

  it('are not masked for an agent that could not read them again', async () => {
    const task = await run(reader(40));
    expect(marks(task, 'mask')).toEqual([]);
  });
});

describe('a summary that is none', () => {
  const bad: readonly (readonly [string, ScriptedAnswer, RegExp])[] = [
    ['says nothing', { text: ' \n' }, /says nothing|ended/],
    ['is a sign', { text: '👍' }, /says nothing/],
    ['is a word', { text: 'Okay, understood.' }, /names nothing/],
    ['holds calls as text', { text: `${SUMMARY}\n<read><part>1</part></read>` }, /holds a call/],
    ['is hardly shorter', { text: SUMMARY.repeat(200) }, /hardly shorter/],
    ['was cut', { text: SUMMARY, stopReason: 'max_tokens' }, /max_tokens/],
    ['was refused', { text: 'No.', stopReason: 'refusal' }, /refusal/],
    [
      'is an error of the request',
      { error: { class: 'request', message: 'no such thing' } },
      /no such thing/,
    ],
    ['is itself too long', { error: { class: 'context', message: 'prompt is too long' } }, /too long/],
  ];
  it.each(bad)(
    'is paid for and not used when it %s: older turns are left out instead',
    async (_, summary, why) => {
      const model = reader(40, summary);
      const task = await run(model);
      expect(task.outcome).toMatchObject({ state: 'completed', output: 'Done after 40 turns.' });
      expect(marks(task, 'condense')).toEqual([]);
      // The third one in a row was the last that was paid for.
      expect(model.summaries.length).toBe(Math.min(3, marks(task, 'truncate').length));
      const [refused] = told(task, 'context.summary_refused');
      expect(refused?.data).toMatchObject({ reason: expect.stringMatching(why) as unknown });
      expect(told(task, 'context.truncated')[0]?.data).toMatchObject({ forced: false });
      for (const request of model.requests) {
        expect(sizeOf(request).tokens).toBeLessThan(sizeOf(request).budget);
        expect(textOf(request).split('Older turns of this conversation').length).toBeLessThan(3);
      }
      expect(world.store.account('task_root').reserved).toBe(0n);
    },
  );

  it('is asked for once more without tools when it was a call, and nothing of that call runs', async () => {
    let sums = 0;
    const model = new TalkingModel((request, isSummary) => {
      if (!isSummary) return reader30(request);
      sums += 1;
      return sums === 1 ? { toolCalls: [{ name: 'act' }] } : { text: SUMMARY };
    });
    let asked = 0;
    const reader30 = (_: ModelRequest): ScriptedAnswer => {
      asked += 1;
      return asked > 20
        ? { text: 'Done.' }
        : { toolCalls: [{ id: `toolu_${asked}`, name: 'read', input: { asked } }] };
    };
    const task = await run(model);
    expect(model.summaries.slice(0, 2).map(({ toolChoice }) => toolChoice.type)).toEqual(['auto', 'none']);
    expect(world.act.runs).toEqual([]);
    expect(marks(task, 'condense').length).toBeGreaterThan(0);
    expect(task.outcome?.state).toBe('completed');
  });

  it('is tried again like any other call when the provider is overloaded', async () => {
    let sums = 0;
    const model = new TalkingModel((_, isSummary) => {
      if (isSummary && (sums += 1) === 1) return { error: { class: 'overload' } };
      return isSummary ? { text: SUMMARY } : inner();
    });
    let asked = 0;
    const inner = (): ScriptedAnswer =>
      (asked += 1) > 20
        ? { text: 'Done.' }
        : { toolCalls: [{ id: `toolu_${asked}`, name: 'read', input: { asked } }] };
    const task = await run(model);
    expect(told(task, 'retry.scheduled')).toHaveLength(1);
    expect(marks(task, 'truncate')).toEqual([]);
    expect(task.outcome?.state).toBe('completed');
  });
});

describe('a request that the provider refuses as too long', () => {
  const tooLong = {
    error: { class: 'context' as const, message: 'prompt is too long: 300 tokens > 200 maximum' },
  };

  /** Works for ten turns, then is refused so often. */
  function refusing(times: number) {
    let asked = 0;
    let refused = 0;
    return new TalkingModel((_, isSummary) => {
      if (isSummary) return { text: SUMMARY };
      if (asked === 10 && refused < times) {
        refused += 1;
        return tooLong;
      }
      asked += 1;
      return asked > 12
        ? { text: 'Done.' }
        : { toolCalls: [{ id: `toolu_${asked}`, name: 'read', input: { asked } }] };
    });
  }
  const wide = { profiles: [{ ...PROFILE, contextWindow: 200_000 }] };

  it('is made smaller each time, at most three times in a row', async () => {
    const model = refusing(3);
    const task = await run(model, wide);
    expect(task.outcome?.state).toBe('completed');
    const sizes = model.requests
      .filter((one) => !model.summaries.includes(one))
      .slice(10, 14)
      .map((one) => sizeOf(one).messages);
    sizes.slice(1).forEach((size, at) => expect(size).toBeLessThan((sizes[at] ?? 0) * 0.8));
    expect(task.messages.filter(({ reduction }) => reduction?.forcedBy != null)).toHaveLength(3);
    expect(model.summaries).toHaveLength(1);
  });

  it('ends a task that nobody watches with what the provider said', async () => {
    const task = await run(refusing(4), wide);
    expect(task.outcome).toMatchObject({
      state: 'failed',
      failure: {
        errorClass: 'context',
        message: expect.stringContaining('300 tokens > 200 maximum') as unknown,
      },
    });
  });

  it("is the user's to decide where there is one, who may let it be sent again", async () => {
    const task = await run(refusing(4), { ...wide, autonomy: 'agent' });
    expect(task.wait?.reason).toBe('answer');
    const [asked] = task.interactions;
    expect(asked).toMatchObject({ kind: 'mistakes', payload: { cause: 'context', mistakes: 4 } });
    expect(world.store.answer('task_root', asked?.id ?? '', { decision: 'stop' })).toBe(true);
    await world.drain(world.deps({ model: refusing(0) }));
    expect(task.outcome).toMatchObject({ state: 'failed', failure: { errorClass: 'context' } });
  });

  it('does not use up what is meant for it with failures of other kinds', async () => {
    let asked = 0;
    const odd = [
      { error: { class: 'rate_limit' as const } },
      { error: { class: 'overload' as const } },
      { error: { class: 'rate_limit' as const } },
      tooLong,
    ];
    const model = new TalkingModel((_, isSummary) => {
      if (isSummary) return { text: SUMMARY };
      if (asked === 10 && odd.length > 0) return odd.shift() ?? {};
      return (asked += 1) > 12
        ? { text: 'Done.' }
        : { toolCalls: [{ id: `toolu_${asked}`, name: 'read', input: { asked } }] };
    });
    const task = await run(model, wide);
    expect(task.outcome?.state).toBe('completed');
    expect(task.messages.filter(({ reduction }) => reduction?.forcedBy != null)).toHaveLength(1);
  });

  it('is never made smaller where that is switched off: the user is asked at once', async () => {
    const task = await run(refusing(1), { ...wide, condense: false, autonomy: 'agent' });
    expect(task.wait?.reason).toBe('answer');
    expect(task.messages.filter(({ reduction }) => reduction !== undefined)).toEqual([]);
    const [asked] = task.interactions;
    world.store.answer('task_root', asked?.id ?? '', { decision: 'continue', guidance: 'Be brief.' });
    const model = reader(0);
    await world.drain(world.deps({ model }));
    expect(textOf(model.requests[0]).split('Be brief.')).toHaveLength(2);
    expect(task.outcome?.state).toBe('completed');
  });
});

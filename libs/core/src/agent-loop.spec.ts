import { beforeEach, describe, expect, it } from '@jest/globals';
import { AppError, NO_RULES, type HostRules } from '@bullpen/contracts';
import {
  EMPTY_LAYER,
  historyProblems,
  OPEN_GATE,
  runTask,
  withoutCheckpoints,
  type LoopDeps,
  type ServiceTerms,
  type Step,
  type Tool,
  type ToolContext,
} from '@bullpen/core';
import type { ScriptedModel } from '@bullpen/testing';
import { aDefinition, type ScriptedStep } from '@bullpen/testing';
import { countingTool, crashAt, never, results, World } from '../test/loop-world.js';

const withNetwork = (network: HostRules) => ({ ...EMPTY_LAYER, rules: { ...NO_RULES, network } });

describe('the agent loop', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });

  it('runs the calls of a turn, answers them all in one message in their order, and ends with the last text', async () => {
    const task = world.submit(
      {},
      {
        text: 'Looking.',
        toolCalls: [{ name: 'read', input: { n: 1 } }, { name: 'act' }, { name: 'read', input: { n: 2 } }],
      },
      { text: 'All done.' },
    );
    await world.drain();
    world.model.assertDone();
    expect(results(task, 3).map(({ text }) => text)).toEqual(['read {"n":1}', 'acted', 'read {"n":2}']);
    expect(task.outcome).toMatchObject({
      state: 'completed',
      cause: 'goal',
      output: 'All done.',
      partial: false,
    });
    expect(
      historyProblems([...task.messages, { role: 'user', content: [{ type: 'text', text: 'x' }] }]),
    ).toEqual([]);
  });

  it('gives a tool the files and hosts of all layers, as they are when the call starts', async () => {
    const seen: ToolContext['policy'][] = [];
    const look = countingTool('act', 'execute', 'report', (_, { policy }) => {
      seen.push(policy);
      world.store.policyLayers = { project: withNetwork({ allow: [], deny: ['*'] }) };
      world.clock += 5_000;
      return { kind: 'result', output: 'ok' };
    });
    world.tools = [look];
    world.store.policyLayers = { installation: withNetwork({ allow: ['a.test'], deny: [] }) };
    const own = { ...NO_RULES, files: { protect: ['db'], exceptions: [] } };
    const call = { toolCalls: [{ name: 'act' }] };
    world.submit({ rules: own }, call, call, { text: 'Done.' });
    await world.drain();
    expect(seen).toMatchObject([
      { files: own.files, network: { allow: ['a.test'], deny: [] } },
      { files: own.files, network: { allow: [], deny: ['*'] } },
    ]);
  });

  it('records what holds the programs of a task: with its first step, with each call that starts one, and anew when that changes', async () => {
    const act = (sandbox: string) => ({
      ...countingTool('act', 'execute', 'report', () => ({ kind: 'result', output: 'ok' })),
      sandbox,
    });
    const look = countingTool('read', 'read', 'repeat', () => ({ kind: 'result', output: 'ok' }));
    world.tools = [look, act('bubblewrap')];
    const both = { toolCalls: [{ name: 'read' }, { name: 'act' }] };
    const task = world.submit({}, both, { toolCalls: [{ name: 'act' }] }, { text: 'Done.' });
    const steps: Step[] = [];
    const { store } = world;
    const commit = store.commit.bind(store);
    store.commit = (lease, step) => {
      steps.push(step);
      return commit(lease, step);
    };
    await world.drain();
    expect(task.record.sandbox).toBe('bubblewrap');
    expect(steps.flatMap(({ patch }) => patch.sandbox ?? [])).toEqual(['bubblewrap']);
    expect([...task.toolCalls.values()].map(({ tool, sandbox }) => [tool, sandbox])).toEqual([
      ['read', null],
      ['act', 'bubblewrap'],
      ['act', 'bubblewrap'],
    ]);
    const started = task.events.filter(({ type }) => type === 'tool.started').map(({ data }) => data);
    expect(started).toMatchObject([
      { tool: 'read' },
      { tool: 'act', sandbox: 'bubblewrap' },
      { sandbox: 'bubblewrap' },
    ]);
    expect(started[0]).not.toHaveProperty('sandbox');
  });

  it('stores the result of one step and the intent of the next in one transaction: two commits a turn with one call', async () => {
    world.submit({}, { toolCalls: [{ name: 'read' }] }, { toolCalls: [{ name: 'read' }] }, { text: 'Done.' });
    const steps: Step[] = [];
    const store = world.store;
    const commit = store.commit.bind(store);
    store.commit = (lease, step) => {
      steps.push(step);
      return commit(lease, step);
    };
    await world.drain();
    // Intent of call 1; then for each turn answer + tool intent, and tool result + next model intent; then the end.
    expect(steps).toHaveLength(1 + 2 * 2 + 1);
    expect(steps[2]?.toolCalls[0]?.status).toBe('done');
    expect(steps[2]?.modelCalls[0]?.status).toBe('started');
    // Each turn's first model call is attempt 1, whatever came before it in the same run.
    expect(steps.flatMap((step) => step.modelCalls.map(({ attempt }) => attempt))).toEqual([
      1, 1, 1, 1, 1, 1,
    ]);
  });

  it('runs read-only neighbours side by side and the others one after the other', async () => {
    let open = 0;
    let most = 0;
    const slow = (name: string, group: Tool['group']) =>
      countingTool(name, group, 'repeat', async () => {
        most = Math.max(most, (open += 1));
        await new Promise((resolve) => setImmediate(resolve));
        open -= 1;
        return { kind: 'result', output: 'ok' };
      });
    world.tools = [slow('read', 'read'), slow('act', 'execute')];
    world.submit({}, { toolCalls: [{ name: 'read' }, { name: 'read' }, { name: 'read' }] }, { text: 'x' });
    await world.drain();
    expect(most).toBe(3);
    most = 0;
    world = Object.assign(new World(), { tools: world.tools });
    world.submit({}, { toolCalls: [{ name: 'act' }, { name: 'act' }] }, { text: 'x' });
    await world.drain();
    expect(most).toBe(1);
  });

  it('answers an unknown tool, invalid arguments and broken JSON with errors that say what to do, and goes on', async () => {
    const strict: Tool = { ...world.read, parse: () => ({ ok: false, issues: ['path: must be a string'] }) };
    world.tools = [strict];
    const task = world.submit(
      { tools: ['read'] },
      { toolCalls: [{ name: 'fly' }, { name: 'read' }, { name: 'read', rawArguments: '{"path": ' }] },
      { text: 'Sorry.' },
    );
    await world.drain();
    const [unknown, invalid, broken] = results(task, 3);
    expect(unknown).toMatchObject({ error: true, text: expect.stringContaining('Available tools: read') });
    expect(invalid).toMatchObject({ error: true, text: expect.stringContaining('path: must be a string') });
    expect(broken).toMatchObject({ error: true, text: expect.stringContaining('{"path": ') });
  });

  it('denies what the task is not allowed to do, with the reason, and records the verdict', async () => {
    const approvals = { ...aDefinition().approvals, alwaysAllowExecute: false };
    const task = world.submit({ approvals }, { toolCalls: [{ name: 'act' }] }, { text: 'Could not act.' });
    await world.drain();
    expect(world.act.runs).toHaveLength(0);
    expect(results(task, 3)[0]?.text).toContain('alwaysAllowExecute is off');
    expect([...task.toolCalls.values()][0]?.approval).toMatchObject({
      verdict: 'deny',
      rule: 'alwaysAllowExecute',
    });
  });

  it('keeps the blocks that had ended when a stream is cut, and never asks for the same turn again', async () => {
    const task = world.submit({}, { text: 'Half of it', cutAfterChunks: 5 }, { text: ' and the rest.' });
    await world.drain();
    world.model.assertDone();
    expect(task.outcome?.output).toBe('Half of it and the rest.');
    expect(task.usage.map(({ estimated }) => estimated)).toEqual([true, false]);
  });

  it('lets an answer that the provider paused go on, within the limits', async () => {
    const paused = { text: 'Half of it', stopReason: 'pause_turn' };
    const task = world.submit({}, paused, { text: ' and the rest.' });
    await world.drain();
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'Half of it and the rest.' });

    world = new World();
    const limited = world.submit({ limits: { ...aDefinition().limits, turns: 2 } }, paused, paused, {
      text: 'Enough.',
    });
    await world.drain();
    expect(limited.outcome).toMatchObject({ state: 'failed', cause: 'turn_limit', output: 'Enough.' });
  });

  it('leaves the end to the worker that holds the task, also when it finds that the task cannot go on', async () => {
    const task = world.submit();
    const lease = await world.store.claimNext('worker_1');
    const workspace = () => {
      world.store.expire('task_root');
      return Promise.reject(new AppError('invalid_workspace', 'There is no such folder.'));
    };
    expect(lease && (await runTask(lease, world.deps({ workspace }), never))).toEqual({ kind: 'stopped' });
    expect(task.state).toBe('queued');
  });

  it('asks again with backoff after an overload, with the provider wish as the floor of the delay', async () => {
    const task = world.submit(
      {},
      { error: { class: 'overload', retryAfterMs: 7_000 } },
      { error: { class: 'rate_limit' } },
      { text: 'ok' },
    );
    await world.drain();
    expect(world.slept).toEqual([7_000, 1_500]);
    expect([...task.modelCalls.values()].map(({ status, errorClass }) => [status, errorClass])).toEqual([
      ['failed', 'overload'],
      ['failed', 'rate_limit'],
      ['done', null],
    ]);
    expect(world.store.account('task_root').reserved).toBe(0n);
  });

  it('gives up the slot for a long backoff and goes on when its time has come', async () => {
    const task = world.submit(
      {},
      { error: { class: 'rate_limit', retryAfterMs: 7_200_000 } },
      { text: 'ok' },
    );
    expect(await world.drain()).toEqual([{ kind: 'waiting' }]);
    expect(task).toMatchObject({ state: 'waiting', wait: { reason: 'backoff', dueInMs: 7_200_000 } });
    world.store.fireDue('task_root');
    await world.drain();
    expect(task.outcome?.state).toBe('completed');
  });

  it('fails with the error kept when the request itself is refused', async () => {
    const task = world.submit({}, { error: { class: 'request', message: 'model: unknown' } });
    await world.drain();
    expect(task.outcome).toMatchObject({
      state: 'failed',
      cause: 'error',
      failure: {
        code: 'model_failed',
        errorClass: 'request',
        message: expect.stringMatching(/^model: unknown\nRetry the task/),
      },
    });
  });

  it('never runs the tools of a refused message, and bills it', async () => {
    const task = world.submit({}, { text: 'No.', toolCalls: [{ name: 'act' }], stopReason: 'refusal' });
    await world.drain();
    expect(world.act.runs).toHaveLength(0);
    expect(task.outcome).toMatchObject({ state: 'failed', cause: 'refused' });
    expect(task.usage).toHaveLength(1);
  });

  it('never runs a call that the token limit cut, however valid it looks', async () => {
    const task = world.submit(
      {},
      { toolCalls: [{ name: 'act', input: { all: true } }], stopReason: 'max_tokens' },
      { text: 'Smaller.' },
    );
    await world.drain();
    expect(world.act.runs).toHaveLength(0);
    expect(results(task, 3)[0]).toMatchObject({
      error: true,
      text: expect.stringContaining('smaller steps'),
    });
  });

  it('leaves one grace turn at a limit, keeps its text as partial output, and fails with the limit as the cause', async () => {
    const task = world.submit(
      { limits: { ...aDefinition().limits, turns: 2 } },
      { toolCalls: [{ name: 'read' }] },
      { toolCalls: [{ name: 'read' }] },
      { text: 'So far: half.' },
    );
    await world.drain();
    world.model.assertDone();
    expect(world.model.requests[2]?.toolChoice).toEqual({ type: 'none' });
    expect(task.outcome).toMatchObject({
      state: 'failed',
      cause: 'turn_limit',
      output: 'So far: half.',
      partial: true,
    });
  });

  it('does not let a completion in the grace turn read as success', async () => {
    const task = world.submit(
      { tools: ['read', 'complete_task'], limits: { ...aDefinition().limits, turns: 1 } },
      { toolCalls: [{ name: 'read' }] },
      { toolCalls: [{ name: 'complete_task', input: { output: { found: 1 } } }] },
    );
    await world.drain();
    expect(world.model.requests[1]?.toolChoice).toEqual({ type: 'tool', name: 'complete_task' });
    expect(task.outcome).toMatchObject({
      state: 'failed',
      cause: 'turn_limit',
      output: { found: 1 },
      partial: true,
    });
  });

  it('ends with the cost limit before a request that the budget does not cover', async () => {
    const task = world.submit({ limits: { ...aDefinition().limits, costUsd: '0.000001' } });
    await world.drain();
    expect(world.model.requests).toHaveLength(0);
    expect(task.outcome).toMatchObject({ state: 'failed', cause: 'cost_limit' });
  });

  it('refuses a model without a price under a cost limit, and runs it without one', async () => {
    const task = world.submit({ model: 'unpriced' });
    await world.drain();
    expect(task.outcome?.failure?.message).toContain('no known price');
    world = new World();
    const free = world.submit(
      { model: 'unpriced', limits: { ...aDefinition().limits, costUsd: null } },
      { text: 'ok' },
    );
    await world.drain();
    expect(free.outcome?.state).toBe('completed');
    expect(free.usage[0]?.costNanoUsd).toBeNull();
  });

  it('prices an answer on the terms that came with it, and reserves for the dearest before', async () => {
    const asked: (ServiceTerms | 'dearest' | null)[] = [];
    const { priceOf, ...deps } = world.deps();
    const terms = { inferenceGeo: 'us', serviceTier: 'priority' };
    const task = world.submit({}, { text: 'Done.', usage: { inputTokens: 1_000 }, terms });
    await world.drain({
      ...deps,
      priceOf: (model, at, promptTokens, onTerms) => {
        asked.push(onTerms);
        const price = priceOf(model, at, promptTokens, onTerms);
        return price && (onTerms === 'dearest' ? price : { ...price, percent: 110n, assumed: true });
      },
    });
    expect(asked).toEqual(['dearest', terms]);
    const [use] = task.usage;
    expect(use?.price).toMatchObject({ percent: 110n });
    expect(use?.costNanoUsd).toBe(((1_000n * 2_000n + 20n * 10_000n) * 110n) / 100n);
    expect(use?.estimated).toBe(true);
  });

  it('extracts the output in the shape of the schema, sends it back when it does not fit, and keeps the tools in the request', async () => {
    const task = world.submit(
      { outputSchema: { type: 'object' } },
      { text: 'It is 42.' },
      { text: '42' },
      { text: '```json\n{"answer": 42}\n```' },
    );
    await world.drain();
    expect(world.model.requests.map(({ toolChoice, tools }) => [toolChoice.type, tools.length])).toEqual([
      ['auto', 2],
      ['none', 2],
      ['none', 2],
    ]);
    expect(task.outcome).toMatchObject({ state: 'completed', output: { answer: 42 } });
  });

  it('fails as invalid_output with the text kept when repairs do not help', async () => {
    const task = world.submit(
      { outputSchema: { type: 'object' } },
      { text: 'a' },
      { text: 'b' },
      { text: 'c' },
      { text: 'd' },
    );
    await world.drain();
    world.model.assertDone();
    expect(task.outcome).toMatchObject({
      state: 'failed',
      cause: 'invalid_output',
      output: 'd',
      partial: true,
    });
  });

  it('delivers steering at the next turn border, after the tool results', async () => {
    const task = world.submit({}, { toolCalls: [{ name: 'read' }] }, { text: 'In Korean then.' });
    world.store.send('task_root', { id: 'inbox_1', text: 'Use Korean.' });
    world.read.run = () => {
      world.store.send('task_root', { id: 'inbox_2', text: 'And be short.' });
      return Promise.resolve({ kind: 'result', output: 'x' });
    };
    await world.drain();
    world.model.assertDone();
    expect(
      task.messages.map(({ role, content }) => [role, ...content.map(({ type }) => type)].join(' ')),
    ).toEqual([
      'user text',
      'user text', // Use Korean.
      'assistant tool_use',
      'user tool_result',
      'user text', // And be short: it came while the tool ran, and goes with the very next request.
      'assistant text',
    ]);
    expect(task.record.inboxPending).toBe(0);
  });

  it('does not end while a message is unread, even one that arrives with the last answer', async () => {
    const task = world.submit(
      { tools: ['complete_task'] },
      { toolCalls: [{ name: 'complete_task', input: { output: 'first' } }] },
      { toolCalls: [{ name: 'complete_task', input: { output: 'second' } }] },
    );
    const commit = world.store.commit.bind(world.store);
    let sent = false;
    world.store.commit = (lease, step) => {
      if (step.end?.kind === 'finish' && !sent) {
        sent = true;
        world.store.send('task_root', { id: 'inbox_1', text: 'One more thing.' });
      }
      return commit(lease, step);
    };
    await world.drain();
    expect(task.outcome).toMatchObject({ state: 'completed', output: 'second' });
    expect(JSON.stringify(task.messages)).toContain('One more thing.');
  });

  it('stops at a cancel: no further tool starts, and open calls are answered as not run', async () => {
    const task = world.submit({}, { toolCalls: [{ name: 'act' }, { name: 'act' }] });
    world.act.run = (args) => {
      world.act.runs.push(args);
      world.store.requestCancel('task_root');
      return Promise.resolve({ kind: 'result', output: 'acted' });
    };
    await world.drain();
    expect(world.act.runs).toHaveLength(1);
    expect(task.state).toBe('cancelled');
    expect(results(task, 3)[1]).toMatchObject({ error: true, text: expect.stringContaining('Not run') });
  });

  it('ends at a cancel instead of waiting out a backoff, or for subtasks', async () => {
    const task = world.submit({}, () => {
      world.store.requestCancel('task_root');
      return { error: { class: 'rate_limit', retryAfterMs: 7_200_000 } };
    });
    expect(await world.drain()).toMatchObject([{ kind: 'finished', outcome: { cause: 'cancelled' } }]);
    expect(task.state).toBe('cancelled');

    world = new World();
    world.agents.push(aDefinition({ name: 'helper' }));
    const lead = world.submit(
      { tools: ['spawn_subtask', 'wait_for_subtasks'] },
      { toolCalls: [{ name: 'spawn_subtask', input: { agent: 'helper', prompt: 'Part.' } }] },
      (request) => {
        const taskIds = /task_\d+/.exec(JSON.stringify(request.messages.at(-1))) ?? [];
        return { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds: [...taskIds] } }] };
      },
    );
    const children = world.store.children.bind(world.store);
    world.store.children = (id, ids) => {
      // The cancel comes after the look at the children and before the suspend.
      const looked = children(id, ids);
      world.store.get(ids[0] ?? '').state = 'running';
      world.store.requestCancel('task_root');
      return looked;
    };
    const lease = await world.store.claimNext('worker_1');
    expect(lease && (await runTask(lease, world.deps(), never))).toMatchObject({ kind: 'finished' });
    expect(lead.state).toBe('cancelled');
  });

  it('gives the task back between two steps when the worker drains, and another worker goes on', async () => {
    const task = world.submit({}, { toolCalls: [{ name: 'read' }] }, { text: 'ok' });
    const lease = await world.store.claimNext('worker_1');
    world.read.run = () => {
      world.yields = true;
      return Promise.resolve({ kind: 'result', output: 'x' });
    };
    expect(lease && (await runTask(lease, world.deps(), never))).toEqual({ kind: 'yielded' });
    world.yields = false;
    await world.drain();
    expect(task.outcome?.state).toBe('completed');
    expect(task.epoch).toBe(2);
  });

  it('ends a task that takes worker after worker down without a step in between', async () => {
    const task = world.submit();
    for (let n = 0; n < 3; n += 1) {
      await world.store.claimNext('worker_1');
      world.store.expire('task_root');
    }
    await world.drain();
    expect(task.outcome).toMatchObject({ state: 'failed', cause: 'poison' });
  });

  describe('when something throws that nobody had foreseen', () => {
    const fault = new TypeError("Cannot read properties of undefined (reading 'x')");
    const fail = (): never => {
      throw fault;
    };
    const places: [string, Partial<LoopDeps>][] = [
      ['the workspace', { workspace: () => Promise.reject(fault) }],
      ['the tools', { tools: fail }],
      ['the price of a model', { priceOf: fail }],
      ['the hash of a request', { hash: fail }],
      ['the model', { model: { stream: fail } }],
      ['the live pieces', { emit: fail }],
      ['the check of an output', { validate: fail }],
      ['the gate of the provider', { gate: { ...OPEN_GATE, look: fail } }],
    ];

    it.each(places)('%s ends the task at once, with the text of the error', async (_, overrides) => {
      const task = world.submit({ outputSchema: { type: 'object' } }, { text: 'a' }, { text: '{"b":1}' });
      const ends = await world.drain(world.deps(overrides));
      expect(ends).toMatchObject([{ kind: 'finished', fault }]);
      expect(task.outcome).toMatchObject({
        state: 'failed',
        cause: 'error',
        failure: { code: 'internal_error', message: fault.message },
      });
      expect(task.record.crashes).toBe(0);
      const sent = [
        ...task.messages,
        { role: 'user' as const, content: [{ type: 'text' as const, text: 'x' }] },
      ];
      expect(historyProblems(sent)).toEqual([]);
    });

    it('keeps the answer that was paid for before', async () => {
      const task = world.submit({ outputSchema: { type: 'object' } }, { text: 'a' }, { text: '{"b":1}' });
      await world.drain(world.deps({ validate: fail }));
      expect(task.messages.filter(({ role }) => role === 'assistant')).toHaveLength(2);
      expect(task.usage.map(({ estimated }) => estimated)).toEqual([false, false]);
    });

    it('is no error of the task when it was told to stop: a cancel, a pause or a drain while the workspace is made', async () => {
      for (const [request, state] of [
        ['requestCancel', 'cancelled'],
        ['pause', 'paused'],
        [null, 'queued'],
      ] as const) {
        world = new World();
        const task = world.submit();
        const stop = new AbortController();
        const workspace: LoopDeps['workspace'] = (_task, _lease, signal) => {
          if (request !== null) world.store[request]('task_root');
          stop.abort('requested');
          return Promise.reject(signal.reason as Error);
        };
        const lease = await world.store.claimNext('worker_1');
        if (lease) await runTask(lease, world.deps({ workspace }), stop.signal);
        expect([request, task.state, task.record.crashes]).toEqual([request, state, 0]);
      }
    });

    it('ends a task whose step the store refuses for what is in it, and leaves what is stored as it was', async () => {
      const task = world.submit({}, { toolCalls: [{ name: 'read' }] });
      const commit = world.store.commit.bind(world.store);
      world.store.commit = (lease, step) =>
        step.messages.some(({ role }) => role === 'assistant')
          ? Promise.reject(new AppError('internal_error', 'integer out of range'))
          : commit(lease, step);
      await world.drain();
      expect(task.outcome?.failure).toMatchObject({
        code: 'internal_error',
        message: 'integer out of range',
      });
      expect(task.messages.map(({ role }) => role)).toEqual(['user']);
    });

    it('leaves the task alone when it is the store that cannot be reached, also from within a tool', async () => {
      const task = world.submit(
        { tools: ['wait_for_subtasks'] },
        { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds: ['task_2'] } }] },
        { text: 'Done.' },
      );
      const { children } = world.store;
      world.store.children = () => Promise.reject(new Error('Connection terminated unexpectedly'));
      await expect(world.drain()).rejects.toMatchObject({ code: 'database_unreachable', retryable: true });
      expect([task.state, [...task.toolCalls.values()][0]?.status]).toEqual(['running', 'calling']);
      world.store.children = children;
      world.store.expire('task_root');
      await world.drain();
      expect(task.outcome?.state).toBe('completed');
    });

    it('leaves the task alone when the workspace meets a store that cannot be reached, and ends it for any other trouble there', async () => {
      const gone = new Error('terminating connection due to administrator command');
      const task = world.submit({}, { text: 'Done.' });
      const broken = world.deps({ workspace: () => Promise.reject(gone) });
      Object.assign(world.store, { isAway: (error: unknown) => error === gone });
      await expect(world.drain(broken)).rejects.toMatchObject({
        ...{ code: 'database_unreachable', retryable: true, cause: gone },
      });
      expect([task.state, task.messages.length]).toEqual(['running', 1]);
      Object.assign(world.store, { isAway: () => false });
      world.store.expire('task_root');
      await world.drain(broken);
      expect(task.outcome?.failure).toMatchObject({ code: 'internal_error', message: gone.message });
    });

    it('tells what the workspace has to tell, with the step that says where it is', async () => {
      const task = world.submit({}, { text: 'Done.' });
      const data = { total: 1, leftOut: [{ path: 'socket', why: 'socket' as const }] };
      const workspace: LoopDeps['workspace'] = (_task, _lease, _signal, tell) => {
        tell({ type: 'workspace.incomplete', data });
        return Promise.resolve(withoutCheckpoints('/copy'));
      };
      await world.drain(world.deps({ workspace }));
      expect(task.events.filter(({ type }) => type === 'workspace.incomplete')).toMatchObject([{ data }]);
    });
  });

  describe('with subtasks', () => {
    const lead = (...ids: string[]) => ({
      toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds: ids } }],
    });
    const spawn = (agent: string) => ({ name: 'spawn_subtask', input: { agent, prompt: 'Do your part.' } });
    const tools = ['spawn_subtask', 'wait_for_subtasks', 'read'];

    beforeEach(() => {
      world.agents.push(aDefinition({ name: 'helper', tools: ['read'] }));
    });

    /** Ids of the children that the last request's tool results name. */
    const spawned = (request: { messages: readonly { content: readonly unknown[] }[] }) =>
      [...JSON.stringify(request.messages.at(-1)).matchAll(/task_\d+/g)].map(([id]) => id);

    it('suspends without holding anything, and gives the children outcomes as one result', async () => {
      const task = world.submit(
        { tools },
        { toolCalls: [spawn('helper'), spawn('helper')] },
        (request) => lead(...spawned(request)),
        { text: 'child A' },
        { text: 'child B' },
        { text: 'Merged.' },
      );
      const ends = await world.drain();
      world.model.assertDone();
      expect(ends.map(({ kind }) => kind)).toEqual(['waiting', 'finished', 'finished', 'finished']);
      const outputs = results(task, 5)[0]?.text ?? '';
      expect(
        (JSON.parse(outputs) as { subtasks: { output: string }[] }).subtasks.map(({ output }) => output),
      ).toEqual(['child A', 'child B']);
      expect(task.outcome?.output).toBe('Merged.');
    });

    it('takes a failed child as a result', async () => {
      const task = world.submit(
        { tools },
        { toolCalls: [spawn('helper')] },
        (request) => lead(...spawned(request)),
        { error: { class: 'request' } },
        { text: 'It failed; noted.' },
      );
      await world.drain();
      expect(results(task, 5)[0]?.text).toContain('"status":"failed"');
      expect(task.outcome?.state).toBe('completed');
    });

    it('refuses what is too deep, too many or unknown as an error result', async () => {
      const limits = { ...aDefinition().limits, subtasks: 1 };
      const task = world.submit(
        { tools, limits },
        { toolCalls: [spawn('helper'), spawn('helper'), spawn('nobody')] },
        { text: 'ok' },
        { text: 'child' },
      );
      await world.drain();
      expect(results(task, 3).map(({ error }) => error)).toEqual([false, true, true]);
    });

    it('narrows a child to what its parent may do and spend', async () => {
      world.agents[0] = aDefinition({ name: 'helper', tools: ['act'] });
      const approvals = { ...aDefinition().approvals, alwaysAllowExecute: false };
      world.submit(
        { tools, approvals, limits: { ...aDefinition().limits, turns: 3 } },
        { toolCalls: [spawn('helper')] },
        { text: 'x' },
        { text: 'y' },
      );
      await world.drain();
      const child = [...world.store.tasks.values()].find(({ record }) => record.parentId !== null);
      expect(child?.record.definition).toMatchObject({
        approvals: { alwaysAllowExecute: false },
        limits: { turns: 3 },
      });
    });
  });

  describe('when the worker dies at any commit', () => {
    const script: ScriptedStep[] = [
      {
        toolCalls: [
          { name: 'read', input: { a: 1 } },
          { name: 'read', input: { a: 2 } },
        ],
      },
      {
        toolCalls: [{ name: 'act' }, { name: 'spawn_subtask', input: { agent: 'helper', prompt: 'Part.' } }],
      },
      { text: 'Done.' },
    ];
    const definition = { tools: ['read', 'act', 'spawn_subtask'] };

    /** The script as a function of the request, so that a repeated request gets the same answer. */
    function answersByHistory(model: ScriptedModel) {
      for (let n = 0; n < 40; n += 1) {
        model.push((request) => {
          if (request.system.startsWith('Agent: helper')) return { text: 'Part done.' };
          const turn = request.messages.filter(({ role }) => role === 'assistant').length;
          const step = script[turn] ?? { text: 'Done.' };
          return typeof step === 'function' ? step(request) : step;
        });
      }
    }

    for (const when of ['before', 'after'] as const) {
      it(`ends the same, acts once, and never asks for a stored answer again (crash ${when} the commit)`, async () => {
        for (let n = 1; n <= 12; n += 1) {
          world = new World();
          world.agents.push(aDefinition({ name: 'helper', tools: ['read'] }));
          const task = world.submit(definition);
          answersByHistory(world.model);
          const count = crashAt(world.store, n, when);
          for (let round = 0; round < 10 && world.store.wakes.length > 0; round += 1) {
            const lease = await world.store.claimNext('worker_1');
            if (!lease) continue;
            try {
              await runTask(lease, world.deps(), never);
            } catch (error) {
              expect((error as Error).message).toBe('crash');
              world.store.expire(lease.taskId);
            }
          }
          const at = `crash ${when} commit ${n} of ${count()}`;
          expect([at, task.outcome?.state]).toEqual([at, 'completed']);
          expect([at, world.act.runs.length <= 1]).toEqual([at, true]);
          expect([at, world.store.tasks.size]).toEqual([at, 2]);
          const answers = task.messages.filter(({ role }) => role === 'assistant').length;
          expect([at, task.messages.length, answers]).toEqual([at, 6, 3]);
          expect([
            at,
            [...task.modelCalls.values()].filter(({ status }) => status === 'done').length,
          ]).toEqual([at, 3]);
          expect([at, world.store.account('task_root').reserved]).toEqual([at, 0n]);
          const spent = task.usage.reduce((sum, { costNanoUsd }) => sum + (costNanoUsd ?? 0n), 0n);
          expect([at, task.record.costNanoUsd]).toEqual([at, spent]);
        }
      });
    }
  });
});

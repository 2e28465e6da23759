import { describe, expect, it } from '@jest/globals';
import {
  NO_SECRETS,
  OPEN_GATE,
  rampWaitMs,
  runTask,
  type GateState,
  type LoopDeps,
  type ModelErrorClass,
  type ProviderGate,
  type RunEnd,
  withoutCheckpoints,
} from '@bullpen/core';
import { approvesAnyCommand, MemoryTaskStore, NO_SETUP } from '@bullpen/core/testing';
import { aDefinition, ScriptedModel } from '@bullpen/testing';

const never = new AbortController().signal;
const FREE = {
  inputNanoUsd: 0n,
  outputNanoUsd: 0n,
  cacheReadNanoUsd: 0n,
  cacheWrite5mNanoUsd: 0n,
  cacheWrite1hNanoUsd: 0n,
};

/** A gate that says what it was told to say, then that it is open; and remembers what it heard. */
class ScriptedGate implements ProviderGate {
  readonly key = 'key_1';
  readonly heard: unknown[] = [];
  constructor(private readonly states: GateState[] = []) {}
  look(): GateState {
    return this.states.shift() ?? { kind: 'open' };
  }
  pause(model: string, forMs: number, errorClass: ModelErrorClass): Promise<void> {
    this.heard.push({ model, forMs, errorClass });
    return Promise.resolve();
  }
  park(errorClass: ModelErrorClass, message: string): Promise<void> {
    this.heard.push({ errorClass, message });
    this.states.push({ kind: 'parked', errorClass, message });
    return Promise.resolve();
  }
}

/** One task, and runs of it one after the other. */
function world(gate: ProviderGate, over: Partial<LoopDeps> = {}) {
  const store = new MemoryTaskStore();
  const model = new ScriptedModel();
  const slept: number[] = [];
  let ids = 0;
  store.create({ id: 'task_1', definition: aDefinition() });
  const deps: LoopDeps = {
    ...{ store, model, gate, priceOf: () => FREE, validate: () => [], tools: () => new Map() },
    setupTool: NO_SETUP,
    workspace: () => Promise.resolve(withoutCheckpoints('/nowhere')),
    now: () => 1_000_000,
    sleep: (ms) => {
      slept.push(ms);
      return Promise.resolve();
    },
    timeout: () => never,
    random: () => 0.5,
    newId: (prefix) => `${prefix}_${(ids += 1)}`,
    hash: (text) => String(text.length),
    judgeCommand: approvesAnyCommand,
    masker: NO_SECRETS,
    emit: () => undefined,
    holdsLease: () => true,
    shouldYield: () => false,
    ...over,
  };
  const run = async (signal = never): Promise<RunEnd | null> => {
    const lease = await store.claimNext('worker_1');
    return lease && runTask(lease, deps, signal);
  };
  const waits = () =>
    store.get('task_1').events.flatMap((event) => (event.type === 'provider.waiting' ? [event.data] : []));
  return { store, model, slept, run, waits, task: () => store.get('task_1') };
}

const fault = (errorClass: ModelErrorClass, retryAfterMs: number | null = null) => ({
  error: { class: errorClass, message: 'No.', httpStatus: 400, retryAfterMs, providerRequestId: null },
});
const paused = (forMs: number): GateState => ({ kind: 'paused', forMs, errorClass: 'rate_limit' });
const parked: GateState = { kind: 'parked', errorClass: 'authentication', message: 'invalid x-api-key' };

describe('in front of the gate', () => {
  it('a short pause is sat out in place, spread by up to a second, and told', async () => {
    const { model, slept, run, waits } = world(new ScriptedGate([paused(2_000)]));
    model.push({ text: 'Done.' });
    expect(await run()).toMatchObject({ kind: 'finished' });
    expect(slept).toEqual([2_500]);
    expect(waits()).toEqual([
      { errorClass: 'rate_limit', message: 'The provider asked for a pause.', delayMs: 2_500 },
    ]);
  });

  it('a long pause gives the slot up until it is over, spread by a fifth, and costs no attempt', async () => {
    const { model, slept, run, task, store } = world(new ScriptedGate([paused(60_000)]));
    model.push({ text: 'Done.' });
    expect(await run()).toEqual({ kind: 'waiting' });
    expect(task()).toMatchObject({ state: 'waiting', wait: { reason: 'backoff', dueInMs: 66_000 } });
    expect(slept).toEqual([]);
    store.fireDue('task_1');
    expect(await run()).toMatchObject({ kind: 'finished' });
    expect(task().record).toMatchObject({ attempt: 1, retries: 0 });
  });

  it('a parked key makes the task wait for it, as often as it is met, without an attempt or a model call', async () => {
    const { model, run, task, store, waits } = world(new ScriptedGate([parked, parked]));
    for (let time = 1; time <= 2; time += 1) {
      expect(await run()).toEqual({ kind: 'waiting' });
      expect(task()).toMatchObject({
        state: 'waiting',
        wait: { reason: 'provider', providerKey: 'key_1', dueInMs: null },
      });
      store.fireDue('task_1');
    }
    expect(waits()).toEqual(
      Array(2).fill({ errorClass: 'authentication', message: 'invalid x-api-key', delayMs: null }),
    );
    expect(task().modelCalls.size).toBe(0);
    model.push({ text: 'Done.' });
    expect(await run()).toMatchObject({ kind: 'finished' });
    expect(task().record).toMatchObject({ attempt: 1, retries: 0, crashes: 0 });
  });

  it('its turn in the ramp is waited for in place, again and again, without a word in the history', async () => {
    const ramping: GateState = { kind: 'ramping', forMs: 700 };
    const { model, slept, run, waits } = world(new ScriptedGate([ramping, ramping]));
    model.push({ text: 'Done.' });
    expect(await run()).toMatchObject({ kind: 'finished' });
    expect(slept).toEqual([800, 800]);
    expect(waits()).toEqual([]);
  });

  it('a task that is cancelled while it waits in place sends nothing', async () => {
    const stop = new AbortController();
    const sleep = () => {
      world1.store.requestCancel('task_1');
      stop.abort();
      return Promise.resolve();
    };
    const world1 = world(new ScriptedGate([paused(2_000)]), { sleep });
    expect(await world1.run(stop.signal)).toMatchObject({ kind: 'finished' });
    expect(world1.task().outcome?.state).toBe('cancelled');
    expect(world1.model.requests).toHaveLength(0);
  });

  it('nobody waits at a gate that is always open', () => {
    expect(OPEN_GATE.look('any')).toEqual({ kind: 'open' });
  });
});

describe('what the provider says reaches the gate', () => {
  it('parks the key when it is refused, and the task waits with the words of the provider', async () => {
    const gate = new ScriptedGate();
    const { model, run, task, waits } = world(gate);
    model.push(fault('billing'));
    expect(await run()).toEqual({ kind: 'waiting' });
    expect(gate.heard).toEqual([{ errorClass: 'billing', message: 'No.' }]);
    expect(task()).toMatchObject({ state: 'waiting', wait: { reason: 'provider', providerKey: 'key_1' } });
    expect(waits()).toEqual([{ errorClass: 'billing', message: 'No.', delayMs: null }]);
  });

  it.each([
    ['a limit, as long as the provider asks', 'rate_limit' as const, 45_000, 45_000],
    ['an overload, as long as the provider asks', 'overload' as const, 45_000, 45_000],
    ['an overload, for its own delay when the provider names none', 'overload' as const, null, 1_500],
  ])('pauses the model for %s', async (_why, errorClass, retryAfterMs, forMs) => {
    const gate = new ScriptedGate();
    const { model, run } = world(gate);
    model.push(fault(errorClass, retryAfterMs), { text: 'Done.' });
    await run();
    expect(gate.heard).toEqual([{ model: aDefinition().model, forMs, errorClass }]);
  });

  it('keeps a limit without a time to the task that met it: it may be one of its request alone', async () => {
    const gate = new ScriptedGate();
    const { model, run, slept } = world(gate);
    model.push(fault('rate_limit'), { text: 'Done.' });
    expect(await run()).toMatchObject({ kind: 'finished' });
    expect(slept).toEqual([1_500]);
    expect(gate.heard).toEqual([]);
  });

  it('keeps a refused request to the task that made it, which fails with the words of the provider', async () => {
    const gate = new ScriptedGate();
    const { model, run, task } = world(gate);
    model.push(fault('request'));
    expect(await run()).toMatchObject({ kind: 'finished' });
    expect(task().outcome).toMatchObject({
      state: 'failed',
      failure: { message: expect.stringMatching(/^No\./) },
    });
    expect(gate.heard).toEqual([]);
  });

  it('does not make all others wait for the long delay of one task that the provider did not ask for', async () => {
    const gate = new ScriptedGate();
    const { model, run, store } = world(gate, { random: () => 0.999 });
    model.push(...Array(5).fill(fault('overload')), { text: 'Done.' });
    while ((await run())?.kind === 'waiting') store.fireDue('task_1');
    model.assertDone();
    const pauses = gate.heard.map((said) => (said as { forMs: number }).forMs);
    expect(Math.max(...pauses)).toBe(30_000);
  });

  it('keeps a broken connection to the task that has it', async () => {
    const gate = new ScriptedGate();
    const { model, run } = world(gate);
    model.push(fault('network'), { text: 'Done.' });
    expect(await run()).toMatchObject({ kind: 'finished' });
    expect(gate.heard).toEqual([]);
  });
});

describe('the ramp', () => {
  it('lets two calls start at once, and twice as many with each second', () => {
    for (const [second, calls] of [2, 4, 8, 16, 32, 64].entries()) {
      expect(rampWaitMs(second * 1_000, calls - 1)).toBe(0);
      expect(rampWaitMs(second * 1_000, calls)).toBe(1_000);
    }
    expect(rampWaitMs(250.5, 2)).toBe(750);
    expect(rampWaitMs(6_000, 1_000_000)).toBe(0);
  });
});

import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { silentLogger } from './logger.js';
import { onShutdown, runSteps, type ShutdownStep } from './shutdown.js';
import { exitOnUnhandled } from './unhandled.js';

const logger = silentLogger();
const hanging: ShutdownStep = { name: 'hanging', run: () => new Promise(() => undefined) };

/** A process in which nothing is real: signals are emitted by hand, exits are recorded. */
function fakeProcess() {
  const source = new EventEmitter();
  const exits: number[] = [];
  const exited = once(source, 'exited');
  const exit = (code: number): void => {
    exits.push(code);
    source.emit('exited');
  };
  let time = 0;
  return { source, exits, exited, exit, now: () => time, pass: (ms: number) => (time += ms) };
}

describe('runSteps', () => {
  it('runs the steps in order, goes on after one that failed, and says so', async () => {
    const ran: string[] = [];
    const step = (name: string, fails = false): ShutdownStep => ({
      name,
      run: async () => {
        await Promise.resolve();
        ran.push(name);
        if (fails) throw new Error('no');
      },
    });
    expect(await runSteps([step('a'), step('b', true), step('c')], logger)).toBe(false);
    expect(ran).toEqual(['a', 'b', 'c']);
    expect(await runSteps([step('d')], logger)).toBe(true);
  });
});

describe('onShutdown', () => {
  it.each(['before', 'after'])(
    'runs the steps and exits with 1 when a part fails (%s it was asked to look)',
    async (when) => {
      const fake = fakeProcess();
      const failed = new AbortController();
      if (when === 'before') failed.abort(new Error('the thread is gone'));
      let closed = 0;
      onShutdown({ logger, timeoutMs: 5_000, failed: failed.signal, ...fake }, [
        { name: 'close', run: () => Promise.resolve(void (closed += 1)) },
      ]);
      failed.abort(new Error('the thread is gone'));
      fake.source.emit('SIGTERM');
      await fake.exited;
      expect([fake.exits, closed]).toEqual([[1], 1]);
    },
  );

  it.each(['SIGTERM', 'SIGINT', 'disconnect'])('runs the steps and exits with 0 on %s', async (signal) => {
    const fake = fakeProcess();
    let closed = 0;
    onShutdown({ logger, timeoutMs: 5_000, ...fake }, [
      { name: 'close', run: () => Promise.resolve(void (closed += 1)) },
    ]);
    fake.source.emit(signal);
    await fake.exited;
    expect(fake.exits).toEqual([0]);
    expect(closed).toBe(1);
  });

  it('exits with 1 when a step failed', async () => {
    const fake = fakeProcess();
    onShutdown({ logger, timeoutMs: 5_000, ...fake }, [
      { name: 'bad', run: () => Promise.reject(new Error('no')) },
    ]);
    fake.source.emit('SIGTERM');
    await fake.exited;
    expect(fake.exits).toEqual([1]);
  });

  it('exits with 1 when the steps take longer than the time allowed', async () => {
    const fake = fakeProcess();
    onShutdown({ logger, timeoutMs: 20, ...fake }, [hanging]);
    fake.source.emit('SIGTERM');
    await fake.exited;
    expect(fake.exits).toEqual([1]);
  });

  it('exits at once when the same signal comes again, but not for copies and for what a parent passes on', () => {
    const fake = fakeProcess();
    onShutdown({ logger, timeoutMs: 100, ...fake }, [hanging]);
    fake.source.emit('SIGINT');
    fake.source.emit('SIGINT');
    fake.pass(2_000);
    fake.source.emit('SIGTERM');
    fake.source.emit('disconnect');
    expect(fake.exits).toEqual([]);
    fake.source.emit('SIGINT');
    expect(fake.exits).toEqual([1]);
  });

  it('stops listening when it is disposed of', () => {
    const fake = fakeProcess();
    const dispose = onShutdown({ logger, timeoutMs: 1_000, ...fake }, []);
    dispose();
    expect(fake.source.listenerCount('SIGTERM') + fake.source.listenerCount('disconnect')).toBe(0);
  });
});

describe('exitOnUnhandled', () => {
  it.each(['unhandledRejection', 'uncaughtException'])(
    'exits with 1 on %s until it is disposed of',
    (event) => {
      const fake = fakeProcess();
      const dispose = exitOnUnhandled({ logger, ...fake });
      fake.source.emit(event, new Error('lost'));
      expect(fake.exits).toEqual([1]);
      dispose();
      expect(fake.source.listenerCount(event)).toBe(0);
    },
  );
});

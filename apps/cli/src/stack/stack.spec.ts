import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlive, parseEnv, upSettings, type UpSettings } from '@bullpen/platform';
import { waitFor } from '@bullpen/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { simulatorSpec } from './plan.js';
import { Stack, type StackEvent, type StackOptions } from './stack.js';
import { readUpFile } from './up-file.js';

type FakeStack = {
  fakeStackOptions(folder: string, settings: UpSettings, changes?: Partial<StackOptions>): StackOptions;
};

const FAST = { firstMs: 10, maxMs: 80, steadyMs: 60_000, maxQuickCrashes: 3 };
const test = (name: string): string => fileURLToPath(new URL(`../../test/${name}`, import.meta.url));
const { fakeStackOptions } = (await import(test('fake-stack.mjs'))) as FakeStack;

let home: string;
let started: Stack[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bullpen-stack-'));
  started = [];
});
afterEach(async () => {
  await Promise.all(started.map((stack) => stack.kill()));
  rmSync(home, { recursive: true, force: true });
});

async function start(env: Record<string, string> = {}, changes: Partial<StackOptions> = {}): Promise<Stack> {
  const settings = parseEnv(upSettings, { BULLPEN_HOME: home, PORT: '0', ...env });
  const stack = await Stack.start(fakeStackOptions(home, settings, { backoff: FAST, ...changes }));
  started.push(stack);
  return stack;
}

const journal = (): string[] => {
  const path = join(home, 'journal');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
};
const pids = (): number[] =>
  journal().flatMap((line) => (/ start (\d+)$/.exec(line) ? [Number(line.split(' ')[2])] : []));
const lives = (pid: number): boolean => isAlive(pid);

const until = (what: string, holds: () => boolean): Promise<boolean> => waitFor(holds, { what });

async function listenSomewhere(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

describe('a stack', () => {
  it('starts everything, says where it is, and stops workers, gateway, simulator and database in this order', async () => {
    const stack = await start();
    expect(readUpFile(home)).toEqual(stack.info);
    expect(stack.info).toMatchObject({
      pid: process.pid,
      embedded: true,
      queue: 'postgres',
      simulated: true,
    });
    expect(stack.info.workers.map((worker) => worker.name)).toEqual(['worker-1', 'worker-2']);
    expect(stack.info.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(statSync(join(home, 'up.json')).mode & 0o777).toBe(0o600);
    await stack.stop();
    const ends = journal()
      .filter((line) => line.includes(' stop'))
      .map((line) => line.split(' ')[0]);
    expect(ends).toEqual(['worker', 'worker', 'gateway', 'simulator', 'database']);
    expect(existsSync(join(home, 'up.json'))).toBe(false);
    expect(existsSync(join(home, 'up.lock'))).toBe(false);
    expect(pids().filter(lives)).toEqual([]);
  });

  it('makes its home folder for nobody else', async () => {
    rmSync(home, { recursive: true });
    const settings = parseEnv(upSettings, { BULLPEN_HOME: home, PORT: '0', ANTHROPIC_API_KEY: 'sk' });
    await Stack.start({
      ...fakeless(settings),
      startDatabase: () => Promise.reject(new Error('no database')),
    }).catch(() => undefined);
    expect(statSync(home).mode & 0o777).toBe(0o700);
  });

  it('gives each process only the environment that it needs', async () => {
    await start(
      { ANTHROPIC_API_KEY: 'sk-real', WORKERS: '1', WORKER_SLOTS: '3', SECRET_VALUES: 'MINE=a-4-value' },
      { env: { ...process.env, SECRET: 'x', WORKER_SLOTS: '3' } },
    );
    const env = (kind: string) =>
      JSON.parse(readFileSync(join(home, `${kind}.env`), 'utf8')) as Record<string, string>;
    const [gateway, worker] = [env('gateway'), env('worker')];
    expect(worker).toMatchObject({
      ANTHROPIC_API_KEY: 'sk-real',
      MODEL_SIMULATED: 'false',
      WORKER_SLOTS: '3',
      BULLPEN_HOME: home,
    });
    expect(worker['DATABASE_URL']).toContain('postgres://');
    expect(gateway).toMatchObject({ HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'info' });
    for (const name of ['SECRET', 'ANTHROPIC_API_KEY', 'WORKER_SLOTS']) expect(gateway[name]).toBeUndefined();
    expect(worker['SECRET']).toBeUndefined();
    // To mask, not to use.
    expect(gateway['SECRET_VALUES']).toBe('ANTHROPIC_API_KEY="sk-real"\nMINE="a-4-value"');
    expect(worker['SECRET_VALUES']).toBe('MINE="a-4-value"');
    expect(existsSync(join(home, 'simulator.env'))).toBe(false);
  });

  it('lets the simulator play the agents of a file, when one is given', () => {
    const settings = parseEnv(upSettings, { SIM_SCENARIO: 'agents.mjs' });
    const { command } = simulatorSpec({
      settings,
      env: {},
      scripts: { simulator: 'sim.js', gateway: '', worker: '' },
    });
    const wanted = ['sim.js', '--port', '0', '--speed', '4', '--scenario', join(process.cwd(), 'agents.mjs')];
    expect(command(null)).toEqual(wanted);
  });

  it('points workers to the simulator when there is no key', async () => {
    await start({ WORKERS: '1' });
    const worker = JSON.parse(readFileSync(join(home, 'worker.env'), 'utf8')) as Record<string, string>;
    expect(worker).toMatchObject({ ANTHROPIC_API_KEY: 'simulated', MODEL_SIMULATED: '1' });
    expect(worker['ANTHROPIC_BASE_URL']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('refuses a second start at the same home, naming address and process', async () => {
    const stack = await start();
    const second = start();
    await expect(second).rejects.toMatchObject({
      code: 'already_running',
      details: { pid: process.pid, url: stack.info.url },
    });
    await expect(second).rejects.toThrow(stack.info.url);
    expect(readUpFile(home)).toEqual(stack.info);
  });

  it('names the port, the setting and how to find its owner when the port is taken, and leaves nothing running', async () => {
    const { server, port } = await listenSomewhere();
    const taken = start({ PORT: String(port) });
    await expect(taken).rejects.toMatchObject({ code: 'port_in_use', details: { port } });
    await expect(taken).rejects.toThrow(/PORT=/);
    expect(pids()).toEqual([]);
    expect(existsSync(join(home, 'up.lock'))).toBe(false);
    server.close();
  });

  it('takes a free port instead when it may', async () => {
    const { server, port } = await listenSomewhere();
    const stack = await start({ PORT: String(port) }, { anyPort: true });
    expect(new URL(stack.info.url).port).not.toBe(String(port));
    server.close();
  });

  it('starts a killed worker again, and up.json names the new process', async () => {
    const events: StackEvent[] = [];
    const stack = await start({ WORKERS: '1' }, { onEvent: (event) => events.push(event) });
    const before = stack.info.workers[0]?.pid ?? NaN;
    const now = (): number => readUpFile(home)?.workers[0]?.pid ?? before;
    process.kill(before, 'SIGKILL');
    await until('another worker is named', () => now() !== before);
    expect(events).toContainEqual({
      type: 'crashed',
      name: 'worker-1',
      how: 'SIGKILL',
      why: null,
      restartInMs: 10,
    });
    expect(lives(now())).toBe(true);
  });

  it('kills a process whose event loop stands still, says so, and starts it again', async () => {
    const events: StackEvent[] = [];
    const liveness = { everyMs: 20, unanswered: 10 };
    const stack = await start({ WORKERS: '1' }, { liveness, onEvent: (event) => events.push(event) });
    const before = stack.info.workers[0]?.pid ?? NaN;
    writeFileSync(join(home, 'worker.stuck'), '');
    await until('it is gone', () => !lives(before));
    rmSync(join(home, 'worker.stuck'));
    const isUp = (event: StackEvent): boolean =>
      event.type === 'up' && event.name === 'worker-1' && event.again;
    await until('it is up again', () => events.some(isUp));
    expect(events).toContainEqual({
      ...{ type: 'log', name: 'worker-1', level: 'warn' },
      text: expect.stringContaining('it hangs'),
    });
  });

  it('starts a killed gateway and a killed simulator again on the ports that others know', async () => {
    const stack = await start({ WORKERS: '1' });
    const { url, gateway, simulator } = stack.info;
    const isBack = (now: number | null | undefined, before: number | null | undefined): boolean =>
      now != null && now !== before;
    for (const child of [gateway, simulator]) process.kill(child?.pid ?? NaN, 'SIGKILL');
    await until(
      'both are back',
      () => isBack(stack.info.gateway.pid, gateway.pid) && isBack(stack.info.simulator?.pid, simulator?.pid),
    );
    expect(stack.info.url).toBe(url);
    // A pid is known before the new process has written anything.
    const runs = (name: string): number =>
      journal().filter((line) => line.startsWith(`${name} start`)).length;
    await until('both have run twice', () => runs('gateway') === 2 && runs('simulator') === 2);
  });

  it('gives up with the end of the log when the gateway crashes again and again at the start', async () => {
    writeFileSync(join(home, 'gateway.crash'), '');
    await expect(start()).rejects.toThrow(
      /gateway ended 3 times in a row .*exit code 3[^]*gateway cannot go on/,
    );
    expect(pids().filter(lives)).toEqual([]);
    expect(existsSync(join(home, 'up.lock'))).toBe(false);
  });

  it('kills what does not stop when asked a second time', async () => {
    writeFileSync(join(home, 'worker.stubborn'), '');
    const stack = await start({ WORKERS: '1' });
    const stopping = stack.stop();
    await until('the worker ignored the request', () =>
      journal().some((line) => line.startsWith('worker ignored')),
    );
    await stack.kill();
    await stopping;
    expect(pids().filter(lives)).toEqual([]);
  });

  it('stops what has begun when it is interrupted while it starts', async () => {
    const interrupt = new AbortController();
    const settings = parseEnv(upSettings, { BULLPEN_HOME: home, PORT: '0' });
    const options = fakeStackOptions(home, settings, {
      migrate: () => {
        interrupt.abort(new Error('enough'));
        return Promise.resolve({ applied: [] });
      },
    });
    await expect(Stack.start(options, interrupt.signal)).rejects.toThrow('enough');
    expect(journal()).toEqual(['database stop']);
    expect(existsSync(join(home, 'up.lock'))).toBe(false);
  });

  it('shows warnings of its processes', async () => {
    writeFileSync(join(home, 'gateway.warn'), '');
    const events: StackEvent[] = [];
    await start({}, { onEvent: (event) => events.push(event) });
    const warning = { type: 'log', name: 'gateway', level: 'warn', text: 'it is getting warm: 40 degrees' };
    await until('the warning arrives', () => events.some((event) => event.type === 'log'));
    expect(events).toContainEqual(warning);
  });
});

describe('a stack whose disk gets full', () => {
  (process.getuid?.() === 0 ? it : it.skip)(
    'goes on, starts again what crashes, and writes where that is when there is room again',
    async () => {
      const programs = mkdtempSync(join(tmpdir(), 'bullpen-programs-'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', home]);
      const events: StackEvent[] = [];
      const settings = parseEnv(upSettings, { BULLPEN_HOME: home, PORT: '0', WORKERS: '1' });
      const stack = await Stack.start(
        fakeStackOptions(programs, settings, { backoff: FAST, onEvent: (event) => events.push(event) }),
      );
      try {
        const before = stack.info.workers[0]?.pid ?? NaN;
        expect(() => writeFileSync(join(home, 'filler'), Buffer.alloc(100_000))).toThrow('ENOSPC');
        process.kill(before, 'SIGKILL');
        const isUpAgain = (event: StackEvent): boolean => event.type === 'up' && event.again;
        await until('the worker is up again', () => events.some(isUpAgain));
        expect(events).toContainEqual({
          ...{ type: 'log', name: 'supervisor', level: 'warn' },
          text: expect.stringMatching(/up\.json is out of date.*ENOSPC/),
        });
        expect(readUpFile(home)?.workers[0]?.pid).toBe(before);
        rmSync(join(home, 'filler'));
        await until(
          'up.json is right',
          () => readUpFile(home)?.workers[0]?.pid === stack.info.workers[0]?.pid,
        );
        expect(readdirSync(home).filter((name) => name.startsWith('up.json'))).toEqual(['up.json']);
      } finally {
        await stack.stop();
        execFileSync('umount', [home]);
        rmSync(programs, { recursive: true });
      }
    },
    30_000,
  );

  it('starts what crashes without a log when that cannot be opened, and says so', async () => {
    const events: StackEvent[] = [];
    const stack = await start({ WORKERS: '1' }, { onEvent: (event) => events.push(event) });
    rmSync(join(home, 'logs'), { recursive: true });
    writeFileSync(join(home, 'logs'), '');
    process.kill(stack.info.workers[0]?.pid ?? NaN, 'SIGKILL');
    await until('the worker is up again', () => events.some((event) => event.type === 'up' && event.again));
    expect(events).toContainEqual({
      ...{ type: 'log', name: 'worker-1', level: 'warn' },
      text: expect.stringContaining('it runs without a log'),
    });
  });
});

describe('a killed supervisor', () => {
  it('leaves no process behind, and its lock is taken over by the next start', async () => {
    const supervisor = fork(test('fake-supervisor.mjs'), [home], { execArgv: [], stdio: 'inherit' });
    await once(supervisor, 'message');
    expect(pids()).toHaveLength(4);
    supervisor.kill('SIGKILL');
    await until('all children are gone', () => pids().every((pid) => !lives(pid)));
    expect(journal().filter((line) => line.includes('orphan'))).toHaveLength(4);
    const stack = await start();
    expect(stack.info.pid).toBe(process.pid);
  });
});

function fakeless(settings: UpSettings): StackOptions {
  const scripts = { simulator: '', gateway: '', worker: '' };
  return {
    settings,
    env: {},
    scripts,
    anyPort: false,
    startDatabase: () => Promise.reject(new Error('none')),
    migrate: () => Promise.resolve({ applied: [] }),
    onEvent: () => undefined,
  };
}

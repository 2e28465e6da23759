/** Processes of a worker: real commands, in no box and in one, with their rows in memory. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryProcessRecords } from '@bullpen/core/testing';
import { isRunning } from '../sandbox/box-processes.js';
import { bubblewrap } from '../sandbox/bubblewrap.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import { unboxed } from '../sandbox/unboxed.js';
import { BoxBench, isRoot, itInBox } from '../testing/box-bench.js';
import type { HeldProcess } from './held-process.js';
import { endLeft, pidSpace } from './left-processes.js';
import { Processes, type StartSpec } from './processes.js';
import { shownOutput } from './shown-output.js';

const never = new AbortController().signal;
const OWNER = { taskId: 'task_1', rootId: 'task_1', callId: 'call_1', epoch: 1 };

let bench: BoxBench;
let records: MemoryProcessRecords;
let processes: Processes;
let problems: unknown[];
beforeEach(async () => {
  bench = await BoxBench.make();
  records = new MemoryProcessRecords();
  problems = [];
});
afterEach(async () => {
  await processes?.endAll('the test is over');
  await bench.remove();
});

function use(sandbox: Sandbox): void {
  let ids = 0;
  processes = new Processes({
    ...{ sandbox, records, workerId: 'worker_1', outputsRoot: path.join(bench.base, 'outputs') },
    newId: () => `proc_${(ids += 1)}`,
    onProblem: (error) => problems.push(error),
  });
}

async function start(command: string, more: Partial<StartSpec> = {}, signal = never): Promise<HeldProcess> {
  const spec = { ...(await bench.spec(command)), background: false, ...more };
  return processes.start(OWNER, spec, signal);
}

const output = (process: HeldProcess) => shownOutput(process.options.folder, 100_000);
const until = async (condition: () => boolean | Promise<boolean>) => {
  while (!(await condition())) await sleep(10);
};

const SANDBOXES: readonly [string, (bench: BoxBench) => Sandbox, typeof it][] = [
  ['without a box', () => unboxed(), it],
  ['in a box', ({ stateFolder }) => bubblewrap({ stateFolder }), itInBox as typeof it],
];

describe.each(SANDBOXES)('a process %s', (name, sandboxOf, itHere) => {
  beforeEach(() => use(sandboxOf(bench)));

  itHere('has a row before it starts, and its end with exit code and output in it', async () => {
    const process = await start('echo hi; exit 3');
    expect(records.rows.get(process.options.id)).toMatchObject({
      state: 'running',
      command: 'echo hi; exit 3',
    });
    const followed = await process.follow(null, never);
    expect(followed).toMatchObject({ kind: 'ended', report: { state: 'exited', exitCode: 3, cause: null } });
    expect(records.rows.get(process.options.id)).toMatchObject({
      state: 'exited',
      exitCode: 3,
      outputBytes: 3,
    });
    expect(await output(process)).toBe('hi\n');
    expect(processes.find('task_1', process.options.id)).toBeNull();
  });

  itHere(
    'is ended at its limit, also in the background, with the real cause and nothing left of it',
    async () => {
      const process = await start(
        `trap 'echo ALL; exit 0' TERM; echo begun; until false; do sleep 0.1; done`,
        {
          background: true,
          timeoutMs: 700,
          graceMs: 3_000,
        },
      );
      const report = await process.ended;
      // It took its end for a success.
      expect(report).toMatchObject({ state: 'timed_out', exitCode: 0, cause: 'timed out after 700 ms' });
      expect(records.notices).toEqual([
        expect.stringMatching(/^\[process\] proc_1 .* timed out after 700 ms; it exited with code 0\./),
      ]);
      // A signal between two sleeps ends none of them.
      expect(await output(process)).toMatch(/^begun\n(Terminated\n)?ALL\n$/);
    },
  );

  itHere('that does not heed TERM is killed with its children, also those that hide', async () => {
    // Without a box what leaves its group on purpose is not found again.
    const away = name === 'in a box' ? `setsid sh -c 'trap "" TERM; sleep 300' &` : '';
    const hide = `(trap '' TERM; ${away} sh -c 'sleep 300 & sleep 300' & wait) & `;
    const process = await start(`trap '' TERM; ${hide} echo ready; while :; do sleep 0.1; done`, {
      graceMs: 300,
    });
    await until(async () => (await output(process)).includes('ready'));
    const report = await process.kill('stopped by ada');
    expect(report).toMatchObject({
      state: 'killed',
      exitCode: null,
      signal: 'SIGKILL',
      cause: 'stopped by ada',
    });
  });

  itHere('that ends by itself within the grace has its own exit code', async () => {
    const codes = new Set<number | null>();
    for (let round = 0; round < 10; round += 1) {
      const process = await start(
        `trap 'sleep 0.0${round}; exit 7' TERM; echo ready; while :; do sleep 0.01; done`,
      );
      await until(async () => (await output(process)).includes('ready'));
      codes.add((await process.kill('stopped by ada')).exitCode);
    }
    expect([...codes]).toEqual([7]);
  });

  itHere('is ended when its call is cancelled, unless it is in the background', async () => {
    const abort = new AbortController();
    const process = await start('sleep 300');
    const following = process.follow(null, abort.signal);
    abort.abort();
    expect(await following).toMatchObject({
      kind: 'ended',
      report: { state: 'killed', cause: 'the call was cancelled' },
    });
    expect(records.notices).toEqual([]);
  });

  itHere('goes on in the background when the wait is over, with more time, and its end is told', async () => {
    const process = await start('sleep 1; echo late', { timeoutMs: 500 });
    expect(await process.follow(100, never)).toEqual({ kind: 'moved', by: null });
    expect(records.rows.get('proc_1')).toMatchObject({ background: true, limitMs: 3_600_000 });
    expect(await process.ended).toMatchObject({ state: 'exited', exitCode: 0 });
    expect(records.notices).toEqual([expect.stringContaining('exited with code 0')]);
  });

  itHere('is waited for, for a while, and then its end is not told again', async () => {
    const process = await start('read -t 0.3 < <(sleep 9); exit 4', { background: true });
    expect(await process.wait(10, never)).toBeNull();
    expect(await process.wait(20_000, never)).toMatchObject({ exitCode: 4 });
    expect(records.notices).toEqual([]);
  });

  itHere('does what its row asks for', async () => {
    const [one, two, three] = [await start('sleep 300'), await start('sleep 300'), await start('sleep 300')];
    const following = two.follow(null, never);
    const order = { over: null, killBy: null, backgroundBy: null };
    records.orders = [
      { ...order, id: 'proc_1', killBy: 'ada' },
      { ...order, id: 'proc_2', backgroundBy: 'bob' },
      { ...order, id: 'proc_3', over: 'lost' },
    ];
    await processes.heed();
    expect(await one.ended).toMatchObject({ state: 'killed', cause: 'stopped by ada' });
    expect(await following).toEqual({ kind: 'moved', by: 'bob' });
    expect(await three.ended).toMatchObject({ state: 'killed', cause: 'its task went on elsewhere' });
    expect(await readdir(path.join(bench.base, 'outputs')).catch(() => [])).toEqual([]);
  });

  itHere(
    'that another worker left is ended by its pid and start time, and nobody else with that pid',
    async () => {
      const process = await start('sleep 300 & echo ready; wait', { background: true });
      await until(async () => (await output(process)).includes('ready'));
      const { anchor } = process;
      const left = { id: 'proc_1', pidSpace: pidSpace() };
      await endLeft([{ ...left, anchor: { ...anchor, startTicks: anchor.startTicks - 1 } }]);
      await endLeft([{ ...left, pidSpace: 'elsewhere', anchor }]);
      expect(isRunning(anchor)).toBe(true);
      await endLeft([{ ...left, anchor }]);
      expect(isRunning(anchor)).toBe(false);
      expect(await process.ended).toMatchObject({ signal: 'SIGKILL' });
    },
  );

  // Without a box, only another user holds it back.
  const itApart = name === 'in a box' || isRoot ? itHere : it.skip;
  itApart('cannot reach what it and others have put out', async () => {
    const root = path.join(bench.base, 'outputs');
    const process = await start(
      `echo secret; sleep 0.3; cat ${root}/*/*/* ${root}/task_1/proc_1/0; ls ${root}`,
    );
    await process.ended;
    expect((await output(process)).split('secret')).toHaveLength(2);
  });
});

describe('a process', () => {
  beforeEach(() => use(unboxed()));

  it('is not started when the lease is lost, or the call is cancelled', async () => {
    records.held = false;
    await expect(start('touch x')).rejects.toMatchObject({ code: 'lease_lost' });
    records.held = true;
    await expect(start('touch x', {}, AbortSignal.abort())).rejects.toThrow();
    expect([...records.rows.values()]).toMatchObject([
      { state: 'killed', cause: 'the call was cancelled before it started' },
    ]);
    expect(await readdir(bench.workspace)).not.toContain('x');
  });

  it('is one of twenty of its task, at most', async () => {
    for (let n = 0; n < 20; n += 1) await start('sleep 300', { background: true });
    await expect(start('sleep 300')).rejects.toThrow('20 processes running');
    expect(records.rows.size).toBe(20);
  });

  it('whose end cannot be written down is told of, and written later', async () => {
    let fails = true;
    const ended = records.ended.bind(records);
    records.ended = (...args) => (fails ? Promise.reject(new Error('away')) : ended(...args));
    const process = await start('exit 2', { background: true });
    expect(await process.ended).toMatchObject({ exitCode: 2 });
    expect(problems).toHaveLength(1);
    fails = false;
    await until(() => records.rows.get('proc_1')?.state === 'exited');
    expect(records.notices).toHaveLength(1);
  });
});

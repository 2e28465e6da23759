/** A box that is ended in its first milliseconds, by us or because we are killed, leaves nothing. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_RULES } from '@bullpen/contracts';
import { BoxBench, itInBox } from '../testing/box-bench.js';
import { bubblewrap } from './bubblewrap.js';
import { DEFAULT_BOX_LIMITS, type BoxSpec } from './sandbox.js';

const STARTS = 500;
const AT_ONCE = 8;
/** Nothing else on the machine sleeps for so long. */
const MARK = '60417';

/** Built, as the worker is a process of its own, and alone: the rest of the package takes longer to load than to test this. */
const MODULE = path.resolve(import.meta.dirname, '../../dist/sandbox/bubblewrap.js');
const WORKER = `
  const { bubblewrap } = await import(process.env.MODULE);
  const sandbox = bubblewrap({ stateFolder: process.env.STATE });
  console.log('up');
  for (let i = 0; i < 8; i += 1)
    void sandbox.start(JSON.parse(process.env.SPEC), new AbortController().signal).then((box) => box.output.resume(), console.error);
`;

let bench: BoxBench;
beforeEach(async () => {
  bench = await BoxBench.make();
});
afterEach(() => bench.remove());

async function boxSpec(): Promise<BoxSpec> {
  return {
    ...(await bench.spec(`sleep ${MARK}`)),
    limits: DEFAULT_BOX_LIMITS,
    network: NO_RULES.network,
  };
}

function sleepers(): number {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && lineOf(name).includes(MARK)).length;
}

function lineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

async function noneLeft(): Promise<void> {
  const deadline = performance.now() + 1_000;
  while (sleepers() > 0 && performance.now() < deadline) await sleep(20);
  expect(sleepers()).toBe(0);
}

describe('starting a box', () => {
  itInBox(
    `leaves nothing of ${STARTS} that are stopped after 0 to 15 ms`,
    async () => {
      const sandbox = bubblewrap({ stateFolder: bench.stateFolder });
      const spec = await boxSpec();
      const attempt = async (index: number): Promise<void> => {
        const stop = AbortSignal.timeout(index % 16);
        await sandbox.start(spec, stop).then(
          async (running) => {
            running.output.resume();
            running.signal('SIGKILL');
            await running.ended;
          },
          (error: unknown) => expect(error).toBe(stop.reason),
        );
      };
      for (let index = 0; index < STARTS; index += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, (_, one) => attempt(index + one)));
      await noneLeft();
    },
    180_000,
  );

  (existsSync(MODULE) ? itInBox : it.skip)(
    'leaves nothing of a worker that is killed while it starts boxes',
    async () => {
      const spec = await boxSpec();
      for (let round = 0; round < 20; round += 1) {
        const worker = spawn(process.execPath, ['--input-type=module', '-e', WORKER], {
          env: { PATH: '/usr/bin:/bin', SPEC: JSON.stringify(spec), STATE: bench.stateFolder, MODULE },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        await new Promise((resolve, reject) => worker.stdout.once('data', resolve).once('close', reject));
        await sleep(round * 6);
        worker.kill('SIGKILL');
        await new Promise((resolve) => worker.once('exit', resolve));
      }
      await noneLeft();
    },
    120_000,
  );
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { processLockHolder, takeProcessLock } from './process-lock.js';

let home: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bullpen-lock-'));
  path = join(home, 'up.lock');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe('the lock of a process', () => {
  it('is taken once, and free again after its release', async () => {
    const first = await takeProcessLock(path);
    expect(first).toMatchObject({ kind: 'taken', tookOverFrom: null });
    expect(await takeProcessLock(path)).toEqual({ kind: 'held', pid: process.pid });
    expect(await processLockHolder(path)).toBe(process.pid);
    if (first.kind === 'taken') for (const _twice of [1, 2]) await first.release();
    expect(await processLockHolder(path)).toBeNull();
    expect((await takeProcessLock(path)).kind).toBe('taken');
    expect(readdirSync(home)).toEqual(['up.lock']);
  });

  it('is taken over from a process that is gone', async () => {
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(path, `${pid} 12345`);
    expect(await processLockHolder(path)).toBeNull();
    expect(await takeProcessLock(path)).toMatchObject({ kind: 'taken', tookOverFrom: pid });
    expect(readdirSync(home)).toEqual(['up.lock']);
  });

  it.each([
    ['when its pid belongs to another process now', `${process.pid} 1`],
    ['from a file that says nothing', 'half a fi'],
    ['from one that was cut', `${process.pid}`],
    ['from one that is empty', ''],
  ])('is taken over %s', async (_when, content) => {
    writeFileSync(path, content);
    expect((await takeProcessLock(path)).kind).toBe('taken');
  });

  it('is left alone by the release of one that no longer holds it', async () => {
    const lock = await takeProcessLock(path);
    writeFileSync(path, '1 1');
    if (lock.kind === 'taken') await lock.release();
    expect(readdirSync(home)).toEqual(['up.lock']);
  });
});

import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { lockHolder, takeLock } from './lock.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'bullpen-lock-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const write = (content: string): void => writeFileSync(join(home, 'up.lock'), content);

describe('the lock of a home folder', () => {
  it('is taken once, and free again after its release', () => {
    const first = takeLock(home);
    expect(first.kind).toBe('taken');
    expect(takeLock(home)).toEqual({ kind: 'held', pid: process.pid });
    expect(lockHolder(home)).toBe(process.pid);
    if (first.kind === 'taken') first.release();
    expect(lockHolder(home)).toBeNull();
    expect(takeLock(home).kind).toBe('taken');
  });

  it('is taken over from a process that is gone', () => {
    write(JSON.stringify({ pid: 2 ** 30, birth: null }));
    expect(takeLock(home)).toMatchObject({ kind: 'taken', tookOverFrom: 2 ** 30 });
    expect(readdirSync(home)).toEqual(['up.lock']);
  });

  it('is taken over when the pid belongs to another process now', () => {
    write(JSON.stringify({ pid: process.pid, birth: '1' }));
    const expected = existsSync('/proc/self/stat') ? 'taken' : 'held';
    expect(takeLock(home).kind).toBe(expected);
  });

  it('is taken over from a file that says nothing', () => {
    write('half a fi');
    expect(takeLock(home).kind).toBe('taken');
  });
});

/** What broke other tools: budgets that end in the middle, branches that move, compaction that is killed or has no room, a database that is being written. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { treeListing, waitFor } from '@bullpen/testing';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { PackStore } from '@bullpen/core';
import { FolderPackStore } from './packs/folder-pack-store.js';
import { MemoryPackStore } from './packs/memory-pack-store.js';
import { Machine, signal } from './testing/machine.js';

const machines: Machine[] = [];
function machine(...args: ConstructorParameters<typeof Machine>): Machine {
  const made = new Machine(...args);
  machines.push(made);
  return made;
}
afterEach(() => {
  for (const made of machines.splice(0)) made.end();
});
const everything = (at: Machine, target: string) =>
  ({ target, parent: at.last, steps: 'everything' }) as const;

describe('a checkpoint that would be too much', () => {
  it('is none, not a part of one; and nothing is restored, so nothing is removed, while the state before could not be stored', async () => {
    const here = machine();
    here.write('f', '1');
    const first = await here.take();
    for (let at = 0; at < 5_000; at += 1) here.write(`d${at % 50}/f${at}`, `${at}\n`);
    const before = treeListing(here.workspace);
    const small = machine({
      ...{ workspace: here.workspace, shadow: { folder: here.shadow }, packs: here.packs },
      budget: { ms: 60_000, bytes: 1_000 },
    });
    small.last = first;
    expect(await small.tryTake()).toMatchObject({ kind: 'degraded', reason: 'over_size' });
    expect(await small.checkpoints.restore(everything(small, first), signal)).toMatchObject({
      kind: 'degraded',
      reason: 'over_size',
    });
    expect(treeListing(here.workspace)).toEqual(before);
    expect(await here.packs.list('line')).toHaveLength(1);
  });
});

describe('what a pull has brought', () => {
  it('is named before a restore removes it, and the branch stays where it is', async () => {
    const origin = machine();
    origin.git('init', '-q', '-b', 'trunk');
    origin.write('f', '1');
    origin.git('add', '-A');
    origin.git('commit', '-qm', 'one');
    const here = machine();
    here.git('clone', '-q', origin.workspace, '.');
    const start = await here.take();
    origin.write('b1', 'by another');
    origin.git('add', '-A');
    origin.git('commit', '-qm', 'two');
    here.git('pull', '-q', '--ff-only');
    here.write('a1', 'by the task');
    const step = { before: start, after: await here.take() };
    const request = { target: start, parent: here.last, steps: [step] };
    const { changes } = await here.checkpoints.previewRestore(request, signal);
    expect(changes).toEqual(['a1', 'b1'].map((name) => ({ path: name, action: 'remove' })));
    const repository = treeListing(here.at('.git'));
    await here.checkpoints.restore(request, signal);
    expect(treeListing(here.at('.git'))).toEqual(repository);
    // The commit has it still.
    here.git('checkout', '--', 'b1');
    expect(existsSync(here.at('b1'))).toBe(true);
  });
});

describe('compaction', () => {
  /** A git that dies, with who called it, in the middle of a step. */
  const deadly = (at: Machine, step: string): string => {
    const program = path.join(at.folder, 'git');
    const half = '"$GIT_DIR/objects/pack/tmp_pack_$$"';
    writeFileSync(
      program,
      `#!/bin/sh\ncase " $* " in *" ${step} "*) echo half > ${half}; kill -9 $PPID; exit 1;; esac\nexec git "$@"\n`,
      { mode: 0o755 },
    );
    return program;
  };

  it('that is killed at any of its steps is done by the next one, which leaves no half packs', async () => {
    const here = machine({ packs: new FolderPackStore(machine().workspace) });
    const commits: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      here.write('f', `${at}`);
      commits.push(await here.take());
    }
    const keep = [commits[0] ?? '', commits[3] ?? ''];
    for (const step of ['pack-objects', 'update-ref', 'pack-refs', 'repack', 'prune'])
      expect(await compactIn(here, deadly(here, step), keep)).toBe('SIGKILL');
    await here.checkpoints.compact(keep, signal);
    const left = readdirSync(here.shadow, { recursive: true, encoding: 'utf8' });
    expect(left.filter((name) => /tmp_|\.lock$/.test(name))).toEqual([]);
    expect(await here.packs.list('line')).toHaveLength(1);
    for (const commit of keep) machines.push(await here.moved(commit));
    here.write('f', 'next');
    await here.take();
  });

  it('without room says so and changes nothing; checkpoints go on', async () => {
    const packs = new MemoryPackStore();
    const here = machine({ packs });
    for (const text of ['1', '2', '3']) {
      here.write('f', text);
      await here.take();
    }
    const stored = await packs.list('line');
    const full: PackStore = Object.assign(Object.create(packs) as MemoryPackStore, {
      replace: () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })),
    });
    const there = machine({ packs: full, workspace: here.workspace, shadow: { folder: here.shadow } });
    await expect(there.checkpoints.compact([here.last ?? ''], signal)).rejects.toThrow('no space');
    expect(await packs.list('line')).toEqual(stored);
    for (const { id } of stored) machines.push(await here.moved(id));
    here.write('f', '4');
    expect((await here.tryTake()).kind).toBe('taken');
  });
});

describe('a database that a process is writing', () => {
  const sqlite = existsSync('/usr/bin/sqlite3') ? it : it.skip;
  const sql = (at: Machine, query: string): string =>
    String(execFileSync('/usr/bin/sqlite3', ['-cmd', '.timeout 10000', at.at('d.db'), query]));
  const rows = (at: Machine): number => Number(sql(at, 'SELECT count(*) FROM t'));
  const moreRows = async (at: Machine): Promise<void> => {
    const before = rows(at);
    await waitFor(() => rows(at) > before + 50, { what: 'more rows' });
  };
  /** Inserts rows in its own time, until it is killed with all that it started. */
  const writer = (at: Machine) => {
    sql(at, 'PRAGMA journal_mode=WAL; CREATE TABLE t (x)');
    return spawn('/bin/sh', ['-c', WRITER], { cwd: at.workspace, stdio: 'ignore', detached: true });
  };

  sqlite('is left alone by a restore while it is written to, and goes back whole after that', async () => {
    const here = machine();
    const writing = writer(here);
    let then: { readonly rows: number; readonly commit: string };
    try {
      await moreRows(here);
      then = { rows: rows(here), commit: await here.take() };
      const request = { ...everything(here, then.commit), onSafety: () => moreRows(here) };
      const result = await here.checkpoints.restore(request, signal);
      // It stays as a whole, and is named.
      const logs = { left: expect.arrayContaining([{ path: 'd.db-wal', why: 'changed_meanwhile' }]) };
      expect(result).toMatchObject({ applied: { written: 0, removed: 0, ...logs } });
    } finally {
      if (writing.pid !== undefined) process.kill(-writing.pid, 'SIGKILL');
      await once(writing, 'close');
    }
    const check = () => sql(here, 'PRAGMA integrity_check');
    expect(check()).toBe('ok\n');
    here.last = await here.take();
    const result = await here.checkpoints.restore(everything(here, then.commit), signal);
    expect(result).toMatchObject({ applied: { left: [] } });
    expect([check(), rows(here) >= then.rows]).toEqual(['ok\n', true]);
  });

  it('is left as it is, and named, while a log lies beside it that no checkpoint holds', async () => {
    const here = machine();
    here.write('.gitignore', '*-wal\n*-shm\n*-journal\n');
    for (const name of ['d.db', 'e.db', 'f.db']) here.write(name, 'old');
    const target = await here.take();
    for (const name of ['d.db', 'e.db', 'f.db']) here.write(name, 'new');
    here.write('d.db-wal', 'newer than the old one');
    here.write('e.db-journal', 'newer than the old one');
    const { conflicts, changes } = await here.checkpoints.previewRestore(everything(here, target), signal);
    expect(conflicts).toEqual(['d.db', 'e.db']);
    expect(changes).toEqual([{ path: 'f.db', action: 'write' }]);
  });
});

/** Its log only grows: what is read of the two files one after the other fits together. */
const WRITER = `
(echo 'PRAGMA wal_autocheckpoint=0;'; while true; do echo "INSERT INTO t VALUES (randomblob(500));"; done) | sqlite3 d.db
`;

/** Compacts in a process of its own, with this program; how it ended. */
async function compactIn(
  at: Machine,
  program: string,
  keep: readonly string[],
): Promise<NodeJS.Signals | null> {
  const packs = (at.packs as unknown as { readonly folder: string }).folder;
  const input = JSON.stringify({
    shadow: { folder: at.shadow, program },
    workspace: at.workspace,
    packs,
    keep,
  });
  const child = spawn(process.execPath, ['--input-type=module', '-e', COMPACTOR], {
    env: { ...process.env, NODE_OPTIONS: '', INPUT: input },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, endedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return endedBy;
}

const COMPACTOR = `
const { packs, keep, ...options } = JSON.parse(process.env.INPUT);
const { Checkpoints, FolderPackStore } = await import('${import.meta.resolve('../dist/index.js')}');
const store = new FolderPackStore(packs);
const checkpoints = new Checkpoints({ ...options, line: 'line', packs: store, coverage: {}, owner: null });
await checkpoints.compact(keep, new AbortController().signal);
`;

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { WorkspaceOrigin } from '@bullpen/contracts';
import { nobodyUser } from './sandbox/command-user.js';
import { copyEntries, DEFAULT_COPY_LIMITS, listForCopy } from './copy-folder.js';
import { walk } from './walk.js';
import { WorkspaceManager, type WorkspaceManagerOptions } from './workspaces.js';

const never = new AbortController().signal;
let base: string;
let root: string;
let source: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'workspaces-')));
  root = path.join(base, 'data/workspaces');
  source = path.join(base, 'project');
  await mkdir(path.join(source, 'src/한글'), { recursive: true });
  await mkdir(path.join(source, '.git'));
  await mkdir(path.join(source, 'empty'));
  const content = {
    '.gitignore': '*.log\n',
    'a.log': '',
    '.git/HEAD': 'x',
    'src/a.ts': 'a',
    'src/한글/b 👍': 'b',
    '.env': 'e',
  };
  for (const [name, text] of Object.entries(content)) await writeFile(path.join(source, name), text);
  await symlink('../a.log', path.join(source, 'src/dangling'));
  await chmod(path.join(source, 'src/a.ts'), 0o755);
});
afterEach(() => rm(base, { recursive: true, force: true }));

function manager(more: Partial<WorkspaceManagerOptions> = {}): WorkspaceManager {
  return new WorkspaceManager({ root, allowPaths: 'any', allowInPlace: true, commandUser: null, ...more });
}
const copyOf = (folder: string): WorkspaceOrigin => ({ kind: 'path', path: folder, copy: true });
const inPlace = (folder: string): WorkspaceOrigin => ({ kind: 'path', path: folder, copy: false });

/** A path whose last name has these bytes. */
function bytes(folder: string | Buffer, ...name: (string | number)[]): Buffer {
  const parts = [folder, '/', ...name].map((part) =>
    Buffer.from(typeof part === 'number' ? [part] : (part as string)),
  );
  return Buffer.concat(parts);
}

async function treeOf(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).sort();
}

describe('preparing a workspace', () => {
  it('makes an empty one, and gives the same one when asked again', async () => {
    const first = await manager().prepare('task_1', { kind: 'empty' }, never);
    await writeFile(path.join(first.path, 'work'), 'done');
    expect(await manager().prepare('task_1', { kind: 'empty' }, never)).toEqual(first);
    expect(await readdir(first.path)).toEqual(['work']);
  });

  it.each([
    ['an empty one', () => ({ kind: 'empty' }) as const],
    ['a copy', () => copyOf(source)],
  ])(
    'does not make %s anew that somebody has worked in: its work would be missing unsaid',
    async (_, spec) => {
      const { path: made } = await manager().prepare('task_1', spec(), never);
      expect((await manager().prepare('task_1', spec(), never, { begun: true })).path).toBe(made);
      await rm(made, { recursive: true });
      await expect(manager().prepare('task_1', spec(), never, { begun: true })).rejects.toMatchObject({
        code: 'workspace_lost',
        message: expect.stringContaining(made),
      });
      await expect(stat(made)).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );

  it('copies what is not ignored: modes, links, empty folders and odd names too', async () => {
    const { path: made } = await manager().prepare('task_1', copyOf(source), never);
    expect(made).toBe(path.join(root, 'task_1'));
    expect(await treeOf(made)).toEqual(
      ['.env', '.gitignore', 'empty', 'src', 'src/a.ts', 'src/dangling', 'src/한글', 'src/한글/b 👍'].sort(),
    );
    expect((await stat(path.join(made, 'src/a.ts'))).mode & 0o777).toBe(0o755);
    expect(await readlink(path.join(made, 'src/dangling'))).toBe('../a.log');
  });

  it('gives one whole copy when two workers prepare at once, and keeps the work done in it later', async () => {
    const both = await Promise.all(
      [manager(), manager()].map((one) => one.prepare('task_1', copyOf(source), never)),
    );
    expect(both[0]).toEqual(both[1]);
    expect(await readdir(root)).toEqual(['task_1']);
    await writeFile(path.join(root, 'task_1/src/a.ts'), 'changed');
    await manager().prepare('task_1', copyOf(source), never);
    expect(await readFile(path.join(root, 'task_1/src/a.ts'), 'utf8')).toBe('changed');
  });

  it('is not misled by the half copy of a worker that died', async () => {
    await mkdir(path.join(root, 'task_1.tmp-dead/src'), { recursive: true });
    const { path: made } = await manager().prepare('task_1', copyOf(source), never);
    expect(await readFile(path.join(made, 'src/a.ts'), 'utf8')).toBe('a');
  });

  it('leaves nothing behind when it is aborted', async () => {
    await expect(
      manager().prepare('task_1', copyOf(source), AbortSignal.abort(new Error('stop'))),
    ).rejects.toThrow('stop');
    expect(await readdir(root)).toEqual([]);
  });

  it.each([
    [{ files: 2, bytes: 1_000 }, /files \(the limit is 2\).*in place/],
    [{ files: 100, bytes: 3 }, /more than 3 bytes.*in place/],
  ])('refuses a source over a limit, and says which one', async (copyLimits, text) => {
    const prepared = manager({ copyLimits }).prepare('task_1', copyOf(source), never);
    await expect(prepared).rejects.toMatchObject({
      code: 'invalid_workspace',
      message: expect.stringMatching(text),
    });
    expect(await readdir(root)).toEqual([]);
  });

  it('keeps names byte for byte that are not UTF-8, and what lies below them', async () => {
    const odd = bytes(source, 'caf', 0xe9);
    const link = bytes(source, 'link-', 0xff);
    await mkdir(odd);
    await writeFile(bytes(odd, 0xfe, '.txt'), 'odd');
    await writeFile(bytes(odd, 'plain \uFFFD'), 'plain');
    await writeFile(bytes(odd, '.gitignore'), '*.tmp');
    await writeFile(bytes(odd, 0xfd, '.tmp'), '');
    await symlink(bytes('.', 'caf', 0xe9), link);
    await chmod(odd, 0o750);
    const { path: made, leftOut } = await manager().prepare('task_1', copyOf(source), never);
    const copied = bytes(made, 'caf', 0xe9);
    expect(leftOut).toBeUndefined();
    expect((await readdir(copied, 'latin1')).sort()).toEqual(
      ['.gitignore', '\xfe.txt', Buffer.from('plain \uFFFD').toString('latin1')].sort(),
    );
    expect(await readFile(bytes(copied, 0xfe, '.txt'), 'utf8')).toBe('odd');
    expect((await stat(copied)).mode & 0o777).toBe(0o750);
    expect(await readlink(bytes(made, 'link-', 0xff), 'latin1')).toBe('./caf\xe9');
  });

  it('leaves sockets and pipes out, says so until somebody begins, and shows it to no agent', async () => {
    execFileSync('mkfifo', [path.join(source, 'pipe')]);
    const server = createServer().listen(path.join(source, 'socket'));
    await once(server, 'listening');
    try {
      const leftOut = [
        { path: 'pipe', why: 'pipe' },
        { path: 'socket', why: 'socket' },
      ];
      const first = await manager().prepare('task_1', copyOf(source), never);
      expect([...(first.leftOut ?? [])].sort((a, b) => (a.path < b.path ? -1 : 1))).toEqual(leftOut);
      // The worker may have died before it could tell.
      expect(await manager().prepare('task_1', copyOf(source), never)).toEqual(first);
      expect(await manager().prepare('task_1', copyOf(source), never, { begun: true })).toEqual({
        path: first.path,
      });
      expect((await walk(first.path, {}, never)).map((entry) => entry.path)).toEqual(
        [
          '.env',
          '.gitignore',
          'empty',
          'src',
          'src/a.ts',
          'src/dangling',
          'src/한글',
          'src/한글/b 👍',
        ].sort(),
      );
    } finally {
      server.close();
    }
  });

  it('leaves out what vanishes while it is copied, and copies the rest', async () => {
    await mkdir(path.join(source, 'z/deep'), { recursive: true });
    await writeFile(path.join(source, 'z/deep/file'), '');
    const list = await listForCopy(source, DEFAULT_COPY_LIMITS, never);
    await rm(path.join(source, 'z'), { recursive: true });
    await rm(path.join(source, 'src/dangling'));
    await rm(path.join(source, '.env'));
    await mkdir(path.join(source, '.env'));
    const target = path.join(base, 'copy');
    await mkdir(target);
    await copyEntries(source, target, list, null, never);
    expect(list.leftOut).toEqual(
      ['.env', 'src/dangling', 'z/deep/file'].map((name) => ({ path: name, why: 'gone' })),
    );
    expect(await readFile(path.join(target, 'src/a.ts'), 'utf8')).toBe('a');
  });

  it('refuses at once, and in words, what is there and cannot be copied', async () => {
    const deep = path.join(source, ...Array.from({ length: 15 }, () => 'd'.repeat(250)));
    await mkdir(deep, { recursive: true });
    await writeFile(path.join(deep, 'n'.repeat(200)), '');
    const long = new WorkspaceManager({
      root: path.join(base, 'w'.repeat(200), 'w'.repeat(200)),
      ...{ allowPaths: 'any', commandUser: null },
    });
    await expect(long.prepare('task_1', copyOf(source), never)).rejects.toMatchObject({
      code: 'invalid_workspace',
      message: expect.stringContaining('would be too long in the copy'),
    });
    expect(await readdir(path.join(base, 'w'.repeat(200), 'w'.repeat(200)))).toEqual([]);
    await writeFile(path.join(base, 'no-folder'), '');
    const nowhere = new WorkspaceManager({
      root: path.join(base, 'no-folder/workspaces'),
      ...{ allowPaths: 'any', commandUser: null },
    });
    for (const spec of [copyOf(path.join(source, 'src')), { kind: 'empty' } as const])
      await expect(nowhere.prepare('task_1', spec, never)).rejects.toMatchObject({
        code: 'workspace_failed',
        message: expect.stringContaining('ENOTDIR'),
      });
  });

  (process.getuid?.() === 0 ? it : it.skip)(
    'says that the disk is full, and leaves nothing on it',
    async () => {
      await writeFile(path.join(source, 'large'), Buffer.alloc(300_000));
      await mkdir(root, { recursive: true });
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=128k', 'none', root]);
      try {
        await expect(manager().prepare('task_1', copyOf(source), never)).rejects.toMatchObject({
          code: 'workspace_failed',
          message: expect.stringMatching(/disk is full.*large.*ENOSPC/),
        });
        expect(await readdir(root)).toEqual([]);
      } finally {
        execFileSync('umount', [root]);
      }
    },
  );

  (process.getuid?.() === 0 ? it.skip : it)('says which file it may not read', async () => {
    await chmod(path.join(source, 'src/a.ts'), 0);
    await expect(manager().prepare('task_1', copyOf(source), never)).rejects.toMatchObject({
      code: 'invalid_workspace',
      message: expect.stringContaining('src/a.ts, so'),
    });
  });

  it('uses a folder in place when no copy is wanted', async () => {
    expect(await manager().prepare('task_1', inPlace(source), never)).toEqual({ path: source });
  });

  it('uses no folder in place where the installation does not allow it', async () => {
    await expect(manager({ allowInPlace: false }).checkSpec(inPlace(source))).rejects.toMatchObject({
      code: 'invalid_workspace',
      message: expect.stringContaining('WORKSPACE_IN_PLACE'),
    });
  });

  it('takes no id that leads elsewhere', async () => {
    await expect(manager().prepare('../x', { kind: 'empty' }, never)).rejects.toMatchObject({
      code: 'internal_error',
    });
  });

  (process.getuid?.() === 0 ? it : it.skip)(
    'gives what it makes to the command user, but not what is used in place',
    async () => {
      const commandUser = await nobodyUser();
      const owned = manager({ commandUser });
      const { path: made } = await owned.prepare('task_1', copyOf(source), never);
      for (const name of ['', 'src', 'src/a.ts', 'empty']) {
        expect(await stat(path.join(made, name))).toMatchObject({
          uid: commandUser?.uid,
          gid: commandUser?.gid,
        });
      }
      const empty = await owned.prepare('task_2', { kind: 'empty' }, never);
      expect((await stat(empty.path)).uid).toBe(commandUser?.uid);
      await owned.prepare('task_3', inPlace(source), never);
      expect((await stat(source)).uid).toBe(0);
    },
  );
});

describe('checking a workspace before the work starts', () => {
  it.each([
    ['a folder that does not exist', () => `${source}/none`, /does not exist/],
    ['a file', () => `${source}/src/a.ts`, /not a folder/],
    ['a relative path', () => 'project', /absolute/],
  ])('refuses %s', async (_, folder, text) => {
    await expect(manager().checkSpec(inPlace(folder()))).rejects.toMatchObject({
      code: 'invalid_workspace',
      message: expect.stringMatching(text),
    });
  });

  it('refuses folders of the machine when the installation allows none', async () => {
    await expect(manager({ allowPaths: 'none' }).checkSpec(copyOf(source))).rejects.toMatchObject({
      code: 'invalid_workspace',
    });
    await expect(manager({ allowPaths: 'none' }).checkSpec({ kind: 'empty' })).resolves.toBeUndefined();
  });

  it('allows what lies below a listed folder, and neither its neighbour nor a link out of it', async () => {
    await mkdir(`${source}-other`);
    await symlink(`${source}-other`, path.join(source, 'link'));
    const listed = manager({ allowPaths: [source] });
    await expect(listed.checkSpec(inPlace(path.join(source, 'src')))).resolves.toBeUndefined();
    await expect(listed.checkSpec(inPlace(`${source}-other`))).rejects.toThrow(/not among/);
    await expect(listed.checkSpec(inPlace(path.join(source, 'link')))).rejects.toThrow(/not among/);
  });

  it('refuses to copy a folder that holds the workspaces, unless they are left out of the copy', async () => {
    await mkdir(root, { recursive: true });
    await expect(manager().checkSpec(copyOf(base))).rejects.toThrow(/would hold them too/);
    const own = manager({ root: path.join(source, '.bullpen/workspaces') });
    await own.checkSpec(copyOf(source));
    const { path: made } = await own.prepare('task_1', copyOf(source), never);
    expect(await readdir(made)).not.toContain('.bullpen');
  });
});

it('removes half copies that are too old to be still in the making, and no younger ones', async () => {
  await mkdir(path.join(root, 'task_1.tmp-dead'), { recursive: true });
  await mkdir(path.join(root, 'task_2.tmp-dead'));
  await manager().prepare('task_1', copyOf(source), never);
  expect(await readdir(root)).toEqual(['task_1', 'task_1.tmp-dead', 'task_2.tmp-dead']);
  await manager({ now: () => Date.now() + 25 * 3_600_000 }).prepare('task_2', copyOf(source), never);
  expect(await readdir(root)).toEqual(['task_1', 'task_1.tmp-dead', 'task_2']);
});

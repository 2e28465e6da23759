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
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { WorkspaceSpec } from '@bullpen/contracts';
import { nobodyUser } from './command-user.js';
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
  return new WorkspaceManager({ root, allowPaths: 'any', commandUser: null, ...more });
}
const copyOf = (folder: string): WorkspaceSpec => ({ kind: 'path', path: folder, copy: true });
const inPlace = (folder: string): WorkspaceSpec => ({ kind: 'path', path: folder, copy: false });

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
      expect((await manager().prepare('task_1', spec(), never, true)).path).toBe(made);
      await rm(made, { recursive: true });
      await expect(manager().prepare('task_1', spec(), never, true)).rejects.toMatchObject({
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

  it('uses a folder in place when no copy is wanted', async () => {
    expect(await manager().prepare('task_1', inPlace(source), never)).toEqual({ path: source });
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
  await manager({ now: () => Date.now() + 2 * 3_600_000 }).prepare('task_2', copyOf(source), never);
  expect(await readdir(root)).toEqual(['task_1', 'task_1.tmp-dead', 'task_2']);
});

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'; // prettier-ignore
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { WorkspaceOrigin } from '@bullpen/contracts';
import { nobodyUser } from '../sandbox/command-user.js';
import { bubblewrap } from '../sandbox/bubblewrap.js';
import { BoxBench, itInBox } from '../testing/box-bench.js';
import { serveGit, type GitServer } from '../testing/git-server.js';
import { WorkspaceManager, type PreparedWorkspace, type WorkspaceManagerOptions } from '../workspaces.js';
import { GitWorkspaces, type GitSettings } from './git-workspaces.js';

const never = new AbortController().signal;
const TOKEN = 'Tr0ub4dor-Kx9-secret';
const BASIC = Buffer.from(`bot:${TOKEN}`).toString('base64');

let base: string;
let upstream: string;
let server: GitServer;
/** Command lines of all processes while the server was asked. */
let seen: string;

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'git-workspaces-')));
  await chmod(base, 0o755);
  upstream = path.join(base, 'served/shop.git');
  seen = '';
  server = await serveGit(path.join(base, 'served'), () => (seen += commandLines()));
  git(base, 'init', '-q', '--bare', '-b', 'trunk', upstream);
  await commit('trunk', { 'README.md': 'one\n', 'src/run.sh': '#!/bin/sh\n' });
});
afterEach(async () => {
  await server.close();
  await rm(base, { recursive: true, force: true });
});

function git(folder: string, ...args: string[]): string {
  const env = { PATH: '/usr/bin:/bin', HOME: base, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const as = ['-c', 'user.name=u', '-c', 'user.email=u@x', '-c', 'safe.directory=*'];
  return execFileSync('git', [...as, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }).toString().trim(); // prettier-ignore
}

/** Commits files on a branch of the upstream; returns the id. */
async function commit(branch: string, files: Record<string, string>): Promise<string> {
  const work = await mkdtemp(path.join(base, 'work-'));
  git(work, 'clone', '-q', upstream, '.');
  const known = git(work, 'branch', '-r').includes(`origin/${branch}`);
  git(work, 'checkout', '-q', ...(known ? [branch] : ['-b', branch]));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(work, name)), { recursive: true });
    await writeFile(path.join(work, name), text, { mode: name.endsWith('.sh') ? 0o755 : 0o644 });
  }
  git(work, 'add', '-A');
  git(work, 'commit', '-qm', `on ${branch}`);
  git(work, 'push', '-q', 'origin', `HEAD:refs/heads/${branch}`);
  return git(work, 'rev-parse', 'HEAD');
}

function manager(
  settings: Partial<GitSettings> = {},
  more: Partial<WorkspaceManagerOptions> = {},
): WorkspaceManager {
  return new WorkspaceManager({
    root: path.join(base, 'workspaces'),
    ...{ allowPaths: 'none', commandUser: null },
    gitRules: { hosts: 'any', protocols: ['http'] },
    git: new GitWorkspaces({
      settings: { GIT_IDENTITY: 'Agent <agent@x>', GIT_ALLOW_PRIVATE: ['127.0.0.0/8'], ...settings },
      mirrorsRoot: path.join(base, 'mirrors'),
      path: '/usr/bin:/bin',
    }),
    ...more,
  });
}
const spec = (ref?: string): WorkspaceOrigin => ({
  kind: 'git',
  url: `${server.url}/shop.git`,
  ...(ref && { ref }),
});
const clone = (id: string, ref?: string, by = manager()): Promise<PreparedWorkspace> =>
  by.prepare(id, spec(ref), never);
const credential = (tenants: string[] | null = null) => ({ host: server.host, header: `Authorization: Basic ${BASIC}`, tenants }); // prettier-ignore

function commandLines(): string {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(commandLineOf).join('\n'); // prettier-ignore
}
function commandLineOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // It has ended.
  }
}

/** All files below a folder whose bytes hold the text. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
  return files.filter((file) => readFileSync(file).includes(text));
}

describe('a clone', () => {
  it('is on the branch that the repository has as its HEAD, like a clone of git’s own, in the name of the agent', async () => {
    await commit('feat/x', { 'src/x.ts': 'x' });
    const made = await clone('task_1');
    expect(git(made.path, 'status', '--porcelain=v2', '--branch')).toMatch(
      /branch\.head trunk[^]*upstream origin\/trunk\n# branch\.ab \+0 -0$/,
    );
    expect(git(made.path, 'remote', 'get-url', 'origin')).toBe(`${server.url}/shop.git`);
    expect(
      git(made.path, 'branch', '-r')
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual(['origin/HEAD -> origin/trunk', 'origin/feat/x', 'origin/trunk']);
    expect(git(made.path, 'config', '--local', 'user.email')).toBe('agent@x');
    expect((await stat(path.join(made.path, 'src/run.sh'))).mode & 0o111).toBe(0o111);
    expect(made.clone).toMatchObject({ branch: 'trunk', commit: git(upstream, 'rev-parse', 'trunk') });
    // The same for a worker that comes after one that died before it told.
    expect(await clone('task_1')).toEqual(made);
    expect(await manager().prepare('task_1', spec(), never, { begun: true })).toEqual({ path: made.path });
  });

  it('is at the branch, tag, commit or ref that was named, on a branch only when it is one', async () => {
    const onFeat = await commit('feat/x', { a: '1' });
    git(upstream, 'tag', 'v1', 'trunk');
    git(upstream, 'tag', '-am', 'annotated', 'v2', 'trunk');
    const first = git(upstream, 'rev-parse', 'trunk');
    git(upstream, 'update-ref', 'refs/pull/7/head', await commit('gone', { b: '2' }));
    const pulled = git(upstream, 'rev-parse', 'gone');
    git(upstream, 'branch', '-D', 'gone');
    const cases: [string, string | null, string][] = [
      ['feat/x', 'feat/x', onFeat],
      ['refs/heads/feat/x', 'feat/x', onFeat],
      ['v1', null, first],
      ['refs/tags/v2', null, first],
      [first, null, first],
      [first.slice(0, 10), null, first],
      ['refs/pull/7/head', null, pulled],
    ];
    for (const [at, [ref, branch, id]] of cases.entries()) {
      const made = await clone(`task_${at}`, ref);
      expect([ref, made.clone?.branch, made.clone?.commit]).toEqual([ref, branch, id]);
      expect([ref, git(made.path, 'rev-parse', 'HEAD'), git(made.path, 'status', '--porcelain')]).toEqual([
        ref,
        id,
        '',
      ]);
    }
  });

  it('of an empty repository is empty, and can be worked in', async () => {
    git(base, 'init', '-q', '--bare', path.join(base, 'served/new.git'));
    const made = await manager().prepare('task_1', { kind: 'git', url: `${server.url}/new.git` }, never);
    expect(made.clone).toMatchObject({ commit: null });
    await writeFile(path.join(made.path, 'f'), '');
    expect(git(made.path, 'status', '--porcelain')).toBe('?? f');
  });

  it.each(['no-such', 'refs/pull/9/head', 'f'.repeat(40)])(
    'of a ref %s that is not there is refused in words',
    async (ref) => {
      await expect(clone('task_1', ref)).rejects.toMatchObject({
        code: 'invalid_workspace',
        message: expect.stringContaining(ref),
      });
      expect(await readdir(path.join(base, 'workspaces'))).toEqual([]);
    },
  );

  it('runs nothing of the repository or of the machine’s settings, follows no link, and says what it does not have', async () => {
    const ran = path.join(base, 'RAN');
    const settings = path.join(base, 'gitconfig');
    await writeFile(
      settings,
      `[filter "f"]\n\tsmudge = touch ${ran}\n\tclean = touch ${ran}\n[core]\n\tfsmonitor = touch ${ran}\n[init]\n\ttemplateDir = ${base}/template\n`,
    );
    await mkdir(path.join(base, 'template/hooks'), { recursive: true });
    await writeFile(path.join(base, 'template/hooks/post-checkout'), `#!/bin/sh\ntouch ${ran}\n`, {
      mode: 0o755,
    });
    const work = await mkdtemp(path.join(base, 'work-'));
    git(work, 'clone', '-q', upstream, '.');
    await writeFile(path.join(work, '.gitattributes'), '* filter=f\n*.psd filter=lfs\n');
    await writeFile(path.join(work, 'big.psd'), 'version https://git-lfs.github.com/spec/v1\n');
    await symlink(base, path.join(work, 'out'));
    await writeFile(
      path.join(work, '.gitmodules'),
      `[submodule "m"]\n\tpath = m\n\turl = --upload-pack=touch ${ran}\n`,
    );
    git(work, 'add', '-A');
    git(work, 'update-index', '--add', '--cacheinfo', `160000,${git(work, 'rev-parse', 'HEAD')},m`);
    git(work, 'commit', '-qm', 'odd');
    git(work, 'push', '-q', 'origin', 'HEAD:trunk');
    const before = { ...process.env };
    Object.assign(process.env, {
      GIT_CONFIG_GLOBAL: settings,
      GIT_TRACE: ran,
      GIT_CONFIG_PARAMETERS: `'core.fsmonitor=touch ${ran}'`,
    });
    try {
      const made = await clone('task_1');
      expect(made.leftOut).toEqual([
        { path: 'm', why: 'submodule' },
        { path: 'big.psd', why: 'lfs' },
      ]);
      expect(await readlink(path.join(made.path, 'out'))).toBe(base);
      expect(await readdir(path.join(made.path, '.git'))).not.toContain('hooks');
    } finally {
      process.env = before;
    }
    await expect(stat(ran)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('that is given up leaves nothing behind, and the next one is whole', async () => {
    const stop = new AbortController();
    const cut = manager().prepare('task_1', spec(), stop.signal);
    setTimeout(() => stop.abort(new Error('stop')), 20);
    await expect(cut).rejects.toThrow('stop');
    expect(await readdir(path.join(base, 'workspaces'))).toEqual([]);
    expect(git((await clone('task_1')).path, 'status', '--porcelain')).toBe('');
  });

  it('is in a folder by the whole id, so that another one that begins alike is not touched', async () => {
    const [one, other] = ['task_01abcdefgh1', 'task_01abcdefgh2'].map((id) => clone(id));
    expect((await one)?.path).not.toBe((await other)?.path);
  });
});

describe('what a clone borrows from nobody', () => {
  it('is all there after upstream has deleted it, and after the mirrors are gone and the folder lies elsewhere', async () => {
    const feat = await commit('feat', { f: '1' });
    const made = await clone('task_1', 'feat');
    git(upstream, 'branch', '-D', 'feat');
    git(upstream, 'gc', '--quiet', '--prune=now');
    await clone('task_2');
    await rm(path.join(base, 'mirrors'), { recursive: true });
    const moved = path.join(base, 'elsewhere');
    await rename(made.path, moved);
    expect(git(moved, 'log', '--format=%H', '-1')).toBe(feat);
    expect(git(moved, 'fsck', '--full', '--strict')).toBe('');
    expect(await filesWith(moved, path.join(base, 'mirrors'))).toEqual([]);
  });

  it('is not hurt, nor is the mirror, by what another one does to its repository', async () => {
    const [mine, other] = [await clone('task_1'), await clone('task_2')];
    for (const args of [
      ['config', 'core.bare', 'true'],
      ['config', 'core.hooksPath', 'h'],
      ['gc', '--prune=now', '--quiet'],
    ])
      git(mine.path, ...args);
    await rm(path.join(mine.path, '.git/objects'), { recursive: true });
    expect(git(other.path, 'fsck', '--full')).toBe('');
    expect(git(other.path, 'status', '--porcelain')).toBe('');
    expect(git((await clone('task_3')).path, 'status', '--porcelain')).toBe('');
  });

  itInBox('works in the box: history, stash, a new branch and a commit', async () => {
    const bench = await BoxBench.make();
    try {
      const made = await clone('task_1');
      const workspace = path.join(bench.workspace, 'clone');
      execFileSync('cp', ['-a', made.path, workspace]);
      if (process.getuid?.() === 0) execFileSync('chown', ['-Rh', '65534:65534', workspace]);
      const command =
        'git log --oneline | wc -l; git fsck && echo x > README.md && git stash -q && git stash pop -q && git switch -qc mine && git commit -qam mine && git log --format=%ae -1 && git status --porcelain';
      const { output, exitCode } = await bench.run(
        bubblewrap({ stateFolder: bench.stateFolder }),
        `cd clone && ${command}`,
      );
      expect({ output, exitCode }).toEqual({ output: '1\nagent@x\n', exitCode: 0 });
    } finally {
      await bench.remove();
    }
  });

  (process.getuid?.() === 0 ? it : it.skip)('belongs to the command user, all of it', async () => {
    const commandUser = await nobodyUser();
    await chmod(base, 0o755);
    const made = await clone('task_1', undefined, manager({}, { commandUser }));
    const others = execFileSync('find', [made.path, '!', '-uid', String(commandUser?.uid)]).toString();
    expect(others).toBe('');
    await chmod(path.join(base, 'workspaces'), 0o711);
    const said = execFileSync('git', ['status', '--porcelain'], {
      cwd: made.path,
      ...commandUser,
      env: { PATH: '/usr/bin:/bin' },
    });
    expect(said.toString()).toBe('');
  });
});

describe('who may clone', () => {
  it('is asked of the repository every time, whatever the mirror holds', async () => {
    server.allowed.add(`bot:${TOKEN}`);
    const both = manager({ GIT_CREDENTIALS: [credential(['a'])] });
    await both.prepare('task_1', spec(), never, { tenantId: 'a' });
    for (const tenantId of ['b', '', 'A'])
      await expect(both.prepare('task_2', spec(), never, { tenantId })).rejects.toMatchObject({
        code: 'invalid_workspace',
        message: expect.stringContaining('may not read'),
      });
    server.allowed.clear();
    server.allowed.add('bot:another');
    await expect(both.prepare('task_3', spec(), never, { tenantId: 'a' })).rejects.toThrow(/may not read/);
    expect(await readdir(path.join(base, 'workspaces'))).toEqual(['task_1']);
  });

  it('is told in one sentence that there is no such repository', async () => {
    const at = (url: string): Promise<PreparedWorkspace> =>
      manager({}, { gitRules: { hosts: 'any', protocols: ['http', 'file'] } }).prepare(
        'task_1',
        { kind: 'git', url },
        never,
      );
    for (const url of [`${server.url}/none.git`, `file://${base}/none.git`])
      await expect(at(url)).rejects.toMatchObject({
        code: 'invalid_workspace',
        message: expect.stringMatching(
          /^\S+ is not there, or this installation may not read it: [^\n]*none\.git/,
        ),
      });
  });

  it('gets only what was shown to them, not what others have fetched into the mirror', async () => {
    const hidden = await commit('hidden', { secret: 'of A' });
    git(upstream, 'update-ref', 'refs/review/1', hidden);
    git(upstream, 'branch', '-D', 'hidden');
    await clone('task_1', 'refs/review/1');
    const made = await clone('task_2');
    expect(() => git(made.path, 'cat-file', '-e', hidden)).toThrow();
    await expect(clone('task_3', hidden)).rejects.toMatchObject({ code: 'invalid_workspace' });
  });

  it('leaves no trace of the credential: not in the clone, the mirror, its refs, a list of processes or an error', async () => {
    server.allowed.add(`bot:${TOKEN}`);
    const by = manager({ GIT_CREDENTIALS: [credential()] });
    await clone('task_1', undefined, by);
    const failed = await clone('task_2', 'no-such', by).catch(
      (error: Error) => JSON.stringify(error) + error.message,
    );
    for (const value of [TOKEN, BASIC]) {
      expect(await filesWith(base, value)).toEqual([]);
      expect(seen).not.toContain(value);
      expect(failed).not.toContain(value);
    }
    expect(seen).toContain('git');
  });

  it('does not lead a credential, or us, to another place by a redirect', async () => {
    const asked: (string | undefined)[] = [];
    const trap = createServer((request, response) => {
      asked.push(request.headers.authorization);
      response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(trap, 'listening');
    const elsewhere = `http://127.0.0.1:${(trap.address() as AddressInfo).port}`;
    const here = createServer((request, response) => {
      response.writeHead(302, { location: `${elsewhere}${request.url}` }).end();
    }).listen(0, '127.0.0.1');
    await once(here, 'listening');
    try {
      const url = `http://127.0.0.1:${(here.address() as AddressInfo).port}/shop.git`;
      await expect(manager().prepare('task_1', { kind: 'git', url }, never)).rejects.toThrow(
        /leads to another address/,
      );
      expect(asked).toEqual([]);
    } finally {
      for (const each of [trap, here]) await new Promise((resolve) => each.close(resolve));
    }
  });

  it('is bound by the settings: hosts, protocols, and addresses that are not public', async () => {
    const check = (hosts: 'any' | 'none' | string[], protocols: string[]) =>
      manager({}, { gitRules: { hosts, protocols } }).checkSpec(spec());
    await expect(check('any', ['https'])).rejects.toThrow(/GIT_PROTOCOLS/);
    await expect(check('none', ['http'])).rejects.toThrow(/GIT_HOSTS/);
    await expect(check(['127.0.0.1'], ['http'])).rejects.toThrow(/GIT_HOSTS/);
    await expect(check([server.host], ['http'])).resolves.toBeUndefined();
    const closed = manager({ GIT_ALLOW_PRIVATE: [] });
    await expect(clone('task_1', undefined, closed)).rejects.toThrow(/GIT_ALLOW_PRIVATE/);
    expect(server.requests).toEqual([]);
  });
});

describe('several at once', () => {
  it('all begin, on two workers, while upstream moves', async () => {
    const moving = { stop: false };
    const mover = (async () => {
      for (let at = 0; !moving.stop && at < 20; at += 1)
        await commit(at % 2 ? 'trunk' : `b${at}`, { n: String(at) });
    })();
    const workers = [manager(), manager()];
    const ids = ['task_1', 'task_2', 'task_3', 'task_4', 'task_5', 'task_6'];
    const made = await Promise.all(ids.map((id, at) => clone(id, undefined, workers[at % 2])));
    moving.stop = true;
    await mover;
    for (const { path: folder } of made) expect(git(folder, 'status', '--porcelain')).toBe('');
    expect((await readdir(path.join(base, 'workspaces'))).sort()).toEqual(ids);
  });

  it('are not stopped by the lock that a git that was killed has left', async () => {
    await clone('task_1');
    const [mirror = ''] = await readdir(path.join(base, 'mirrors'));
    await commit('trunk', { more: '1' });
    const lock = path.join(base, 'mirrors', mirror, 'refs/shown/open/heads/trunk.lock');
    await writeFile(lock, '');
    execFileSync('touch', ['-d', '1 hour ago', lock]);
    const made = await clone('task_2');
    expect(await readFile(path.join(made.path, 'more'), 'utf8')).toBe('1');
  });
});

/** What a task changed comes back to its user's folder, through a whole installation. Slow, because it starts one. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { trackPid, untrackPid, waitFor } from '@bullpen/testing';

const BIN = fileURLToPath(new URL('../../bin/bullpen.js', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'bullpen-way-back-'));
const home = join(root, 'home');
const own = join(root, 'own');
const ENV = { PATH: process.env['PATH'], HOME: root, BULLPEN_HOME: home, SIM_SPEED: '100', NO_COLOR: '1' };
const LINES = Array.from({ length: 12 }, (_, at) => `line ${at}`);
let up: ChildProcess;
let task: string;

beforeAll(async () => {
  chmodSync(root, 0o755);
  up = spawn(process.execPath, [BIN, 'up', '--port', '0', '--workers', '1', '--json'], {
    cwd: root,
    env: { ...ENV, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (up.pid !== undefined) trackPid(up.pid, 'bullpen up');
  let output = '';
  for (const stream of [up.stdout, up.stderr]) stream?.on('data', (data) => (output += String(data)));
  const isUp = () => {
    if (up.exitCode !== null) throw new Error(output);
    return output.includes('"ready":true');
  };
  await waitFor(isUp, { what: 'the stack to be up' });
  mkdirSync(own);
  writeFileSync(join(own, 'a.txt'), `${LINES.join('\n')}\n`);
  writeFileSync(join(own, 'gone.txt'), 'to be removed\n');
  const command =
    "sed -i 's/line 2$/line two/' a.txt; rm gone.txt; (printf '\\0'; head -c 299 /dev/urandom) > b.bin; chmod +x b.bin";
  const ran = await bullpen(
    'run',
    `Run \`${command}\``,
    '--dir',
    own,
    '--allow',
    'execute',
    '--level',
    'unattended',
    '--json',
  );
  const id = /task_[0-9a-z]{26}/.exec(ran.out + ran.err)?.[0];
  if (id === undefined) throw new Error(ran.out + ran.err);
  task = id;
});
afterAll(async () => {
  up.kill('SIGTERM');
  if (up.exitCode === null) await once(up, 'exit');
  if (up.pid !== undefined) untrackPid(up.pid);
  rmSync(root, { recursive: true, force: true });
});

async function bullpen(
  ...args: string[]
): Promise<{ code: number; out: string; err: string; bytes: Buffer }> {
  return new Promise((resolve) => {
    const options = { cwd: root, env: ENV, encoding: 'buffer' as const, maxBuffer: 10_000_000 };
    const child = execFile(process.execPath, [BIN, ...args], options, (_, bytes, err) =>
      resolve({ code: child.exitCode ?? -1, out: bytes.toString(), err: err.toString(), bytes }),
    );
  });
}
/** A folder that has moved on from what the task was given. */
function folder(change: (dir: string) => void = () => undefined): string {
  const dir = mkdtempSync(join(root, 'folder-'));
  cpSync(own, dir, { recursive: true });
  change(dir);
  return dir;
}
const text = (dir: string, name = 'a.txt') => readFileSync(join(dir, name), 'utf8');
const edit = (from: string, to: string) => (dir: string) =>
  writeFileSync(join(dir, 'a.txt'), text(dir).replace(`${from}\n`, `${to}\n`));

describe('what a task changed', () => {
  let expected: string;

  beforeEach(() => {
    expected = text(own).replace('line 2\n', 'line two\n');
  });

  it('is listed, and is a patch that git applies elsewhere to the same bytes', async () => {
    const listed = await bullpen('tasks', 'diff', task);
    expect(listed.code).toBe(0);
    expect(listed.out).toMatch(
      /^M a\.txt {2}\+1 -1\nA b\.bin {2}no text\nD gone\.txt {2}\+0 -1\n3 files changed, \+1 -2\n$/,
    );
    const dir = folder();
    const { bytes } = await bullpen('tasks', 'diff', task, '--patch');
    execFileSync('git', ['apply', '-'], { cwd: dir, input: bytes });
    expect([text(dir), existsSync(join(dir, 'gone.txt'))]).toEqual([expected, false]);
    expect(readFileSync(join(dir, 'b.bin'))).toHaveLength(300);
  });

  it('joins with what the folder has become, and is there already the second time', async () => {
    const dir = folder(edit('line 9', 'mine'));
    const first = await bullpen('apply', task, '--to', dir, '--yes');
    expect([first.code, first.out]).toEqual([
      0,
      expect.stringContaining('M a.txt  joined with your changes'),
    ]);
    expect(text(dir)).toBe(expected.replace('line 9\n', 'mine\n'));
    expect(existsSync(join(dir, 'gone.txt'))).toBe(false);
    const again = await bullpen('apply', task, '--to', dir, '--yes');
    expect([again.code, again.err]).toEqual([0, expect.stringContaining('All of it is there already.')]);
  });

  it('leaves a file alone that was changed at the same place, shows both versions, and takes the rest', async () => {
    const dir = folder(edit('line 2', 'mine'));
    const before = text(dir);
    const { code, out, err } = await bullpen('apply', task, '--to', dir, '--yes');
    expect(code).toBe(7);
    expect(out).toMatch(/! a\.txt {2}changed here and by the task[^]*mine[^]*line two/);
    expect(err).toContain('One file was changed here as well');
    expect([text(dir), existsSync(join(dir, 'b.bin'))]).toEqual([before, true]);
  });

  it('is not taken without a word when nobody can be asked, nor to a folder that has nothing to do with it', async () => {
    const dir = folder();
    const unasked = await bullpen('apply', task, '--to', dir);
    expect([unasked.code, unasked.err]).toEqual([2, expect.stringContaining('--yes')]);
    expect(text(dir)).toBe(text(own));
    const empty = mkdtempSync(join(root, 'empty-'));
    const unrelated = await bullpen('apply', task, '--to', empty, '--yes');
    expect([unrelated.code, unrelated.err]).toEqual([7, expect.stringContaining('is it the right folder?')]);
  });

  it('can be committed on a branch of its own, while files, index and HEAD stay as they are', async () => {
    const dir = folder();
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=u', '-c', 'user.email=u@x', ...args], {
        cwd: dir,
        encoding: 'utf8',
      });
    git('init', '-q', '-b', 'main');
    git('add', '-A');
    git('commit', '-qm', 'mine');
    const head = git('rev-parse', 'HEAD');
    const { code } = await bullpen('apply', task, '--to', dir, '--branch', 'work');
    expect([code, git('show', 'work:a.txt')]).toEqual([0, expected]);
    expect([git('status', '--porcelain'), git('rev-parse', 'HEAD')]).toEqual(['', head]);
    const again = await bullpen('apply', task, '--to', dir, '--branch', 'work');
    expect([again.code, again.err]).toEqual([7, expect.stringContaining('There is a branch work already')]);
  });

  it('is downloaded whole, and never over a file that is there', async () => {
    const dir = mkdtempSync(join(root, 'download-'));
    const file = join(dir, 'work.tar.gz');
    expect(await bullpen('tasks', 'download', task, '--to', file)).toMatchObject({ code: 0, out: '' });
    execFileSync('tar', ['-xzpf', file, '-C', dir]);
    expect([text(dir), statSync(join(dir, 'b.bin')).mode & 0o111]).toEqual([expected, 0o111]);
    const again = await bullpen('tasks', 'download', task, '--to', file);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('is there already')]);
    const { bytes } = await bullpen('tasks', 'download', task, '--to', '-');
    expect(execFileSync('tar', ['-tz'], { input: bytes, encoding: 'utf8' })).toContain('b.bin');
  });

  it('is gone on from in a new task, whose own changes are told apart, and which may begin from before them', async () => {
    const listed = await bullpen('checkpoints', 'list', task, '--json');
    const [after, before] = (JSON.parse(listed.out) as { data: { id: string }[] }).data.map(({ id }) => id);
    const fork = async (from = '', message = '') => {
      const { out, err } = await bullpen('checkpoints', 'fork', from, message, '--follow', '--json');
      const id = /task_[0-9a-z]{26}/.exec(out + err)?.[0] ?? '';
      expect((await bullpen('tasks', 'show', id)).out).toContain(`Forked from  ${task}, ${from}`);
      return (await bullpen('tasks', 'diff', id)).out;
    };
    const more = 'Run `echo more > c.txt`';
    expect(await fork(after, more)).toBe('A c.txt  +1 -0\n1 file changed, +1 -0\n');
    expect(await fork(before, more)).toContain('A c.txt  +1 -0\n');
    const between = await bullpen('checkpoints', 'diff', before ?? '', after ?? '');
    expect(between.out).toContain('3 files changed, +1 -2');
  });
});

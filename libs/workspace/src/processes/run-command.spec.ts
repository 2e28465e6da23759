/**
 * Commands from their start to their end, with whatever they leave behind. Slow, because the graces and limits of processes are
 * whole seconds, and have to pass.
 */
import { chmod, chown, mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AppError } from '@bullpen/contracts';
import { startProcess, type TestProcess } from '@bullpen/testing';
import { execa } from 'execa';
import {
  closedFolder,
  letThrough,
  nobodyUser,
  prepareHome,
  type CommandUser,
} from '../sandbox/command-user.js';
import { unboxed } from '../sandbox/unboxed.js';
import { UNATTENDED } from '../sandbox/unattended.js';
import { runCommand, type CommandResult, type CommandSpec } from './run-command.js';

const isRoot = process.getuid?.() === 0;
const never = new AbortController().signal;
let base: string;
let cwd: string;
let user: CommandUser | null;

beforeEach(async () => {
  base = await realpath(await mkdtemp(path.join(tmpdir(), 'run-')));
  await chmod(base, 0o755);
  cwd = path.join(base, 'ws');
  await mkdir(cwd);
  user = await nobodyUser();
  if (isRoot && user) await chown(cwd, user.uid, user.gid);
});
afterEach(() => rm(base, { recursive: true, force: true }));

async function run(command: string, more: Partial<CommandSpec> = {}, signal = never): Promise<CommandResult> {
  const home = await prepareHome(path.join(base, 'homes'), cwd, user);
  const files = { protect: [], exceptions: [] };
  const surroundings = { workspacePath: cwd, cwd, home, path: '/usr/bin:/bin', user, files };
  return runCommand(unboxed(), { command, timeoutMs: 20_000, ...surroundings, ...more }, signal);
}

/** True for a process that runs; one that is dead but not yet collected by its parent does not count. */
async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return status !== '' && !/^\d+ \(.*\) [ZX] /.test(status);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}

function pidsIn(text: string): number[] {
  return text.trim().split(/\s+/).map(Number);
}

describe('a command', () => {
  it('gives exit code and both streams in the order in which they were written', async () => {
    const result = await run('for i in 1 2 3; do echo out$i; echo err$i >&2; done; exit 3');
    expect(result).toMatchObject({
      exitCode: 3,
      signal: null,
      timedOut: false,
      aborted: false,
    });
    expect(result.output).toBe('out1\nerr1\nout2\nerr2\nout3\nerr3\n');
  });

  it('that dies by a signal is not a success', async () => {
    expect(await run('kill -KILL $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  });

  it('sees nothing of the environment but what is allowed', async () => {
    process.env['BULLPEN_TEST_SECRET'] = 'sk-secret';
    const names = (await run('env')).output
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    delete process.env['BULLPEN_TEST_SECRET'];
    // PWD, SHLVL and _ are set by the shell itself.
    const own = ['HOME', 'LANG', 'LC_ALL', 'PATH', 'PWD', 'SHLVL', 'TERM', 'TMPDIR', '_'];
    expect(names.sort()).toEqual([...own, ...Object.keys(UNATTENDED)].sort());
  });

  it('has a home and a folder for temporary files that it can write to, and no input', async () => {
    const result = await run('touch "$HOME/h" && mktemp && touch w && cat');
    expect(result).toMatchObject({ exitCode: 0, output: expect.stringContaining(path.join(base, 'homes')) });
  });

  it('reports output while it runs, without splitting characters', async () => {
    const seen: string[] = [];
    await run(String.raw`printf '\355\225'; sleep 0.05; printf '\234\0\n'`, {
      onOutput: (text) => seen.push(text),
    });
    expect(seen.join('')).toBe('한\\x00\n');
    expect(seen.join('')).not.toContain('\ufffd');
  });

  it('has start and end of a flood of output kept, and the rest counted', async () => {
    const result = await run('head -c 3000000 /dev/zero | tr "\\0" x; echo; echo end', {
      maxOutputBytes: 1_000,
    });
    expect(result.exitCode).toBe(0);
    expect(result.output).toMatch(/^x{500}\n… \[2999005 bytes of output left out here\] …\nx+\nend\n$/);
  });

  (isRoot ? it : it.skip)('runs as the unprivileged user when the worker is root', async () => {
    const result = await run('id -u; id -G; cat /etc/shadow');
    expect(result.output).toContain(`${user?.uid}\n${user?.gid}\n`);
    expect(result.output).toContain('Permission denied');
  });

  (isRoot ? it : it.skip)('is refused as root, and where its user can not go', async () => {
    await expect(run('id', { user: null })).rejects.toThrow(/never run as root/);
    await expect(run('id', { user: { uid: 0, gid: 0 } })).rejects.toThrow(/never run as root/);
    await chmod(base, 0o700);
    expect(closedFolder(cwd, user as CommandUser)).toBe(base);
    const home = await prepareHome(path.join(base, 'homes'), cwd, user);
    await expect(run('id', { home })).rejects.toThrow(/can't enter/);
  });

  (isRoot ? it : it.skip)(
    'runs below a folder of ours that was closed, once its user is let through',
    async () => {
      await chmod(base, 0o700);
      await letThrough(base, user);
      expect(await run('pwd; ls ..')).toMatchObject({ exitCode: 2, output: expect.stringContaining(cwd) });
    },
  );

  it('in a folder that does not exist is an error, not a crash', async () => {
    await expect(run('true', { cwd: path.join(base, 'none') })).rejects.toThrow();
  });

  (isRoot ? it.skip : it)('that can not be started is a typed error', async () => {
    await expect(run('true', { cwd: path.join(base, 'none') })).rejects.toBeInstanceOf(AppError);
  });
});

describe('the processes of a command', () => {
  const GRANDCHILDREN = 'sleep 300 & (sleep 300 & sleep 300 & echo $! ; wait) & echo $! $$; ';

  it('that it leaves in the background die with its end', async () => {
    const result = await run('sleep 300 >/dev/null & echo $!; (sleep 300 & echo $!); exit 0');
    expect(result).toMatchObject({ exitCode: 0, timedOut: false });
    expect(result.durationMs).toBeLessThan(10_000);
    for (const pid of pidsIn(result.output)) await until(async () => !(await isAlive(pid)));
  });

  it('all die at the time limit, and the result says so', async () => {
    const result = await run(`${GRANDCHILDREN} wait`, { timeoutMs: 2_000, graceMs: 1_000 });
    expect(result).toMatchObject({ timedOut: true, aborted: false, exitCode: null, signal: 'SIGTERM' });
    const pids = pidsIn(result.output);
    expect(pids.length).toBeGreaterThanOrEqual(3);
    for (const pid of pids) await until(async () => !(await isAlive(pid)));
  });

  it('that ignore the request to end are killed when the grace is over', async () => {
    const result = await run("trap '' TERM; echo $$; while :; do sleep 0.1; done", {
      timeoutMs: 2_000,
      graceMs: 200,
    });
    expect(result).toMatchObject({ timedOut: true, signal: 'SIGKILL' });
    for (const pid of pidsIn(result.output)) await until(async () => !(await isAlive(pid)));
  });

  it('may tidy up within the grace, also when the shell is already gone', async () => {
    const tidy = `(trap 'sleep 0.2; echo tidied; exit' TERM; while :; do sleep 0.05; done) & echo ready; wait`;
    const result = await run(tidy, { timeoutMs: 2_000, graceMs: 10_000 });
    expect(result).toMatchObject({ timedOut: true, output: expect.stringMatching(/^ready\n.*tidied\n$/s) });
  });

  it('die when the call is aborted', async () => {
    const abort = new AbortController();
    const onOutput = (): void => abort.abort();
    const result = await run(`${GRANDCHILDREN} wait`, { graceMs: 1_000, onOutput }, abort.signal);
    expect(result).toMatchObject({ aborted: true, timedOut: false, exitCode: null });
    for (const pid of pidsIn(result.output)) await until(async () => !(await isAlive(pid)));
  });

  it('are never started when the call is aborted before', async () => {
    const result = await run('touch started', {}, AbortSignal.abort());
    expect(result).toMatchObject({ aborted: true, exitCode: null, output: '' });
    await expect(readFile(path.join(cwd, 'started'))).rejects.toThrow();
  });

  it('has all its output read, although the worker is busy when it ends, and a child holds its pipe', async () => {
    const busy = { now: false };
    const result = await run(
      'setsid sleep 300 & echo $!; sleep 0.2; head -c 3000000 /dev/zero | tr "\\0" x; echo; echo last',
      {
        maxOutputBytes: 4_000_000,
        onOutput: () => {
          if (busy.now) return;
          busy.now = true;
          setTimeout(() => {
            for (const until = performance.now() + 800; performance.now() < until;);
          }, 150);
        },
      },
    );
    const [pid = ''] = result.output.split('\n', 1);
    process.kill(Number(pid), 'SIGKILL');
    expect(result.output.length).toBe(pid.length + 1 + 3_000_000 + '\nlast\n'.length);
    expect(result.output.endsWith('\nlast\n')).toBe(true);
    expect(result.durationMs).toBeLessThan(10_000);
  });

  it('can not hold up the result by keeping the pipe in another group', async () => {
    const result = await run('setsid sleep 300 & echo $!');
    expect(result.durationMs).toBeLessThan(10_000);
    for (const pid of pidsIn(result.output)) if (await isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
});

describe('the process that runs commands', () => {
  /** Runs both commands side by side, and prints what they print. */
  const PROGRAM = `
    import { runCommand, unboxed } from '@bullpen/workspace';
    const [specs] = process.argv.slice(1);
    for (const spec of JSON.parse(specs)) {
      const onOutput = (text) => process.stdout.write(text);
      void runCommand(unboxed(), { ...spec, onOutput }, new AbortController().signal);
    }`;

  async function runElsewhere(...commands: string[]): Promise<TestProcess> {
    const home = await prepareHome(path.join(base, 'homes'), cwd, user);
    const specs = commands.map((command) => ({
      ...{ command, cwd, home, path: '/usr/bin:/bin', user },
      timeoutMs: 60_000,
    }));
    const execArgv = ['--input-type=module', '-e', PROGRAM];
    return startProcess(JSON.stringify(specs), { name: 'commands', execArgv, cwd: import.meta.dirname });
  }

  it('takes its commands with it when it is killed with SIGKILL, also those that do not heed TERM', async () => {
    const mild = 'sleep 60 & echo "mild $$ $!"; wait';
    const stubborn = `trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo "stubborn $$ $!"; while :; do sleep 1; done`;
    const ended = 'echo "ended $$"';
    const parent = await runElsewhere(ended, mild, stubborn);
    const words = [/mild (\d+) (\d+)/, /stubborn (\d+) (\d+)/, /ended (\d+)/];
    const found = await Promise.all(words.map((word) => parent.waitForOutput(word)));
    const pids = found.flatMap((match) => match.slice(1).map(Number));
    expect(await Promise.all(pids.slice(0, 4).map(isAlive))).toEqual([true, true, true, true]);
    await parent.kill();
    await until(async () => !(await Promise.all(pids.map(isAlive))).includes(true));
  });

  it('leaves no guard behind, which knows no secrets meanwhile', async () => {
    const parent = await runElsewhere('echo "guard of $PPID"; sleep 60');
    await parent.waitForOutput(/guard of/);
    const guards = async () => {
      const { stdout } = await execa('ps', ['-eo', 'pid,ppid,args']);
      return stdout
        .split('\n')
        .filter((line) => line.includes(`trap '' HUP INT TERM`) && line.includes(` ${parent.pid} `));
    };
    const [guard] = await guards();
    const pid = Number(guard?.trim().split(/\s+/)[0]);
    expect(pid).toBeGreaterThan(0);
    // It could be read by commands that run as the same user.
    expect(await readFile(`/proc/${pid}/environ`, 'utf8')).toMatch(/^PATH=[^\0]*\0?$/);
    await parent.kill();
    await until(async () => !(await isAlive(pid)));
  });
});

describe('looking up the user for commands', () => {
  it('knows nobody, and takes neither root nor an unknown name', async () => {
    expect(await nobodyUser()).toEqual({ uid: expect.any(Number), gid: expect.any(Number) });
    expect(await nobodyUser('root')).toBeNull();
    expect(await nobodyUser('no-such-user-here')).toBeNull();
    expect(await nobodyUser('-rf')).toBeNull();
  });
});

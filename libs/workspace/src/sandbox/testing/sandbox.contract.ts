/** What every sandbox promises about a command's life, and what only those promise that hold it in something of the kernel's. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_RULES } from '@bullpen/contracts';
import { runCommand, type CommandResult, type CommandSpec } from '../../processes/run-command.js';
import { BoxBench } from '../../testing/box-bench.js';
import { DEFAULT_BOX_LIMITS, type Sandbox } from '../sandbox.js';

export interface SandboxPromises {
  readonly name: string;
  /** False: its tests are skipped on this machine. */
  readonly works: boolean;
  /** Whether what leaves the command's group, and its network and its sight of the machine, is held as well. */
  readonly contained: boolean;
  readonly make: (bench: BoxBench) => Sandbox;
  /** PATH of a command. @defaultValue that of its spec */
  readonly path?: string;
}

export function sandboxContract({
  name,
  works,
  contained,
  make,
  path = '/usr/local/bin:/usr/bin:/bin',
}: SandboxPromises): void {
  const promised = works ? it : it.skip;
  const promisedIfContained = works && contained ? it : it.skip;

  describe(`the sandbox ${name}`, () => {
    let bench: BoxBench;
    let sandbox: Sandbox;
    beforeEach(async () => {
      bench = await BoxBench.make();
      sandbox = make(bench);
    });
    afterEach(() => bench.remove());

    const run = (command: string, more?: Partial<CommandSpec>): Promise<CommandResult> =>
      bench.run(sandbox, command, more);

    promised('gives exit code and both streams in the order in which they were written', async () => {
      const result = await run('for i in 1 2 3; do echo out$i; echo err$i >&2; done; exit 3');
      expect(result).toMatchObject({ exitCode: 3, signal: null, limit: null, takenBack: [] });
      expect(result.output).toBe('out1\nerr1\nout2\nerr2\nout3\nerr3\n');
    });

    promised('gives all of the last output of a command that ends at once', async () => {
      const { output } = await run('head -c 3000000 /dev/zero | tr "\\0" x; echo end');
      expect(output.endsWith('xxxend\n')).toBe(true);
    });

    promised('tells the signal that ended a command', async () => {
      expect(await run('kill -KILL $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    });

    promised('starts with an environment of its own, a home, no input and no terminal', async () => {
      const result = await run(
        'touch "$HOME/h" "$TMPDIR/t"; cat; tty; echo "$PATH"; echo "${DATABASE_URL-none}"',
      );
      expect(result.output).toBe(`not a tty\n${path}\nnone\n`);
    });

    promised('lets a command that is told to stop end by itself, and says how it did', async () => {
      const result = await run('trap "echo bye; exit 7" TERM; echo here; while :; do sleep 0.05; done', {
        timeoutMs: 1_000,
      });
      expect(result).toMatchObject({ exitCode: 7, signal: null, timedOut: true });
      expect(result.output).toMatch(/^here\n(Terminated\n)?bye\n$/);
    });

    promised('kills what does not heed TERM, with what it started', async () => {
      const result = await run(
        'trap "" TERM; (trap "" TERM; while :; do sleep 1; done) & echo here; while :; do sleep 1; done',
        { timeoutMs: 500, graceMs: 300 },
      );
      expect(result).toMatchObject({ exitCode: null, signal: 'SIGKILL', timedOut: true, output: 'here\n' });
    });

    promised('starts nothing when it is cancelled before', async () => {
      const result = await runCommand(sandbox, await bench.spec('touch ran'), AbortSignal.abort());
      expect(result).toMatchObject({ exitCode: null, signal: null, aborted: true });
      await expect(readFile(bench.in('ran'))).rejects.toThrow('ENOENT');
    });

    promised('names a process of the machine that stands for the command, and is gone with it', async () => {
      const spec = {
        ...(await bench.spec('sleep 60')),
        limits: DEFAULT_BOX_LIMITS,
        network: NO_RULES.network,
      };
      const running = await sandbox.start(spec, AbortSignal.timeout(30_000));
      running.output.resume();
      const { pid, startTicks } = running.anchor;
      expect(await ticksOf(pid)).toBe(startTicks);
      running.signal('SIGKILL');
      expect(await running.ended).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
      expect(await ticksOf(pid)).not.toBe(startTicks);
      running.signal('SIGKILL');
    });

    promised('sets the limits of files, open files and core dumps', async () => {
      const limits = { ...DEFAULT_BOX_LIMITS, fileBytes: 1_048_576, openFiles: 64, cpuSeconds: 60 };
      const line =
        'ulimit -f; ulimit -n; ulimit -c; head -c 2000000 /dev/zero > big; stat -c %s big; ulimit -n 99';
      const { output } = await run(line, { limits });
      expect(output).toContain('1024\n64\n0\n');
      expect(output).toContain('\n1048576\n');
      expect(output).toContain('cannot modify limit');
    });

    promisedIfContained('leaves nothing of what leaves its group on purpose', async () => {
      const line =
        'setsid sleep 987 & (setsid nohup sleep 987 > /dev/null 2>&1 &) ; disown -a; sleep 0.2; echo started';
      const { output, durationMs } = await run(line);
      expect(output).toBe('started\n');
      expect(durationMs).toBeLessThan(20_000);
      await sleep(200);
      expect(await commandLines()).not.toContain('sleep 987');
    });

    promisedIfContained('has its own processes, network and temporary files', async () => {
      const { output } = await run(
        'ls -d /proc/[0-9]* | wc -l; grep -c : /proc/net/dev; find /tmp -maxdepth 1 -type f; touch /tmp/a; ls -A /dev/shm',
      );
      expect(output).toMatch(/^[1-9]\n1\n$/);
    });

    promisedIfContained(
      'counts processes for each command, and ends a fork bomb with its limits',
      async () => {
        const limits = { ...DEFAULT_BOX_LIMITS, processes: 60 };
        const { durationMs, timedOut, output } = await run('bomb() { bomb | bomb & }; bomb; sleep 30', {
          limits,
          timeoutMs: 1_500,
          graceMs: 200,
        });
        expect(timedOut).toBe(true);
        expect(output).toContain('Resource temporarily unavailable');
        expect(durationMs).toBeLessThan(20_000);
      },
    );

    promisedIfContained('ends a command that takes more memory than it may, and says why', async () => {
      const limits = { ...DEFAULT_BOX_LIMITS, memoryBytes: 300 * 1024 ** 2 };
      const line = `node -e 'const all = []; setInterval(() => all.push(Buffer.alloc(20e6, 1)), 5)'`;
      expect(await run(line, { limits })).toMatchObject({
        limit: 'memory',
        signal: 'SIGKILL',
        exitCode: null,
      });
    });

    promisedIfContained('counts files in memory as memory', async () => {
      const limits = { ...DEFAULT_BOX_LIMITS, memoryBytes: 300 * 1024 ** 2 };
      const line = `head -c 140000000 /dev/zero > /tmp/a; head -c 70000000 /dev/zero > /dev/shm/b; node -e 'const a = Buffer.alloc(130e6, 1); setTimeout(() => a, 20e3)'`;
      expect(await run(line, { limits })).toMatchObject({ limit: 'memory' });
    });
  });
}

async function ticksOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? -1);
}

function commandLines(): Promise<string> {
  return new Promise((resolve) => execFile('ps', ['-eo', 'args'], (_, stdout) => resolve(stdout)));
}

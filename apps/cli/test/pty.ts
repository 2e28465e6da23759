/** A program at a terminal of its own, through `script` of util-linux: what it prints, and what is typed to it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { trackPid, untrackPid, waitFor } from '@bullpen/testing';

export const KEY = {
  up: '\u001b[A',
  down: '\u001b[B',
  enter: '\r',
  escape: '\u001b',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
};

export interface PtyOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export class Pty {
  private text = '';
  private readFrom = 0;
  private readonly child: ChildProcess;
  private readonly folder = mkdtempSync(join(tmpdir(), 'bullpen-pty-'));
  readonly ended: Promise<number | null>;

  constructor(entry: string, args: readonly string[], { cwd, env }: PtyOptions) {
    const quoted = [process.execPath, entry, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    const pidFile = join(this.folder, 'pid');
    const line = `stty cols 100 rows 40; echo $$ > '${pidFile}'; exec ${quoted.join(' ')}`;
    this.child = spawn('script', ['-qfec', line, '/dev/null'], {
      cwd,
      env: { ...process.env, NODE_OPTIONS: '', TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/sh', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { pid } = this.child;
    if (pid !== undefined) trackPid(pid, `${args[0] ?? entry} at a terminal`);
    this.child.stdout?.setEncoding('utf8').on('data', (piece: string) => (this.text += piece));
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code) => {
        if (pid !== undefined) untrackPid(pid);
        rmSync(this.folder, { recursive: true, force: true });
        resolve(code);
      });
    });
  }

  /** All that was printed, as plain text. */
  get screen(): string {
    return stripVTControlCharacters(this.text).replaceAll('\r', '');
  }

  /** Waits for what is printed after the last thing that was waited for. */
  async sees(what: RegExp, timeoutMs = 60_000): Promise<RegExpExecArray> {
    const found = await waitFor(
      () => {
        const match = what.exec(this.screen.slice(this.readFrom));
        if (match === null && this.child.exitCode !== null)
          throw new Error(`it ended before ${what}:\n${this.screen}`);
        return match;
      },
      { what: `${what} on the screen`, timeoutMs },
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.screen.slice(-3_000)}`, { cause: error });
    });
    this.readFrom += found.index + found[0].length;
    return found;
  }

  type(keys: string): void {
    this.child.stdin?.write(keys);
  }

  /** kill -9 of the program, not of its terminal. */
  async kill(): Promise<void> {
    const pidFile = join(this.folder, 'pid');
    if (existsSync(pidFile) && this.child.exitCode === null)
      killIfThere(Number(readFileSync(pidFile, 'utf8')));
    await this.ended;
  }
}

/** The program may have ended by itself a moment ago, before its terminal did. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

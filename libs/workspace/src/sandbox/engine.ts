/** The command line of a container engine, docker's or podman's: both take the same words. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, errorText } from '@bullpen/contracts';
import { isRunning, processSpaceOf, startTicksOf } from './box-processes.js';

export type EngineName = 'docker' | 'podman';

/** Longest wait for an engine that manages its containers. */
const MANAGE_MS = 30_000;

/** Names the process that a container belongs to: process space, pid and start. */
const OWNER = 'bullpen.worker';

export class Engine {
  constructor(readonly name: EngineName) {}

  /** Starts `run`, or whatever else stays attached. */
  attach(args: readonly string[]): ChildProcess {
    return spawn(this.name, args, { env: ENVIRONMENT, stdio: ['pipe', 'pipe', 'pipe'] });
  }

  /** Runs a command of the engine to its end; gives what it printed. Throws `tool_failed` with what the engine says. */
  run(args: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      execFile(this.name, args, { env: ENVIRONMENT, timeout: MANAGE_MS }, (cause, stdout, stderr) => {
        if (cause === null) return resolve(stdout.trim());
        const said = complaintIn(stderr) || errorText(cause);
        reject(new AppError('tool_failed', `${this.name} ${args[0]}: ${said}`, { cause }));
      });
    });
  }

  /** Process 1 of a running container, as the machine numbers it. */
  async firstPid(container: string): Promise<number> {
    return Number(await this.run(['inspect', '--format', '{{.State.Pid}}', container]));
  }

  /** Removes a container with all that runs in it, if it is there; resolves when it is gone. */
  async remove(container: string): Promise<void> {
    for (;;) {
      try {
        await this.run(['rm', '--force', '--volumes', container]);
        return;
      } catch (error) {
        if (isMissing(error)) return;
        // It ended by itself, and the engine is at it.
        if (!errorText(error).includes('already in progress')) throw error;
        await sleep(50);
      }
    }
  }

  /** Removes what workers left behind that ended without tidying up. */
  async removeLeftovers(): Promise<void> {
    const ids = await this.run(['ps', '--all', '--quiet', '--filter', `label=${OWNER}`]);
    for (const id of ids.split('\n').filter((line) => line !== '')) {
      const owner = await this.ownerOf(id);
      if (owner !== null && isGone(owner)) await this.remove(id);
    }
  }

  /** Null when the container is gone by now. */
  private async ownerOf(id: string): Promise<string | null> {
    try {
      return await this.run(['inspect', '--format', `{{index .Config.Labels "${OWNER}"}}`, id]);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }
}

/** For `run`: this process as the owner. */
export function ownerLabel(): string {
  return `${OWNER}=${processSpaceOf(process.pid)} ${process.pid} ${startTicksOf(process.pid)}`;
}

/** False for an owner in another process space, of whom nothing is known. */
function isGone(owner: string): boolean {
  const [space, pid, startTicks] = owner.split(' ');
  return (
    space === processSpaceOf(process.pid) && !isRunning({ pid: Number(pid), startTicks: Number(startTicks) })
  );
}

/** An engine's own settings are in the home; nothing of ours is needed. */
const ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: homedir() };

function isMissing(error: unknown): boolean {
  return /no such (container|object)/i.test(errorText(error));
}

/** The line that says what is wrong; help may follow. */
export function complaintIn(said: string): string {
  const lines = said.trim().split('\n');
  return lines.filter((line) => line !== '' && !/--help/.test(line)).at(-1) ?? '';
}

/**
 * Port: where a command runs, and what holds it there. Implementations differ in what the kernel enforces, which `level` names; each
 * passes the contract in `testing/sandbox.contract.ts`.
 */
import type { Readable } from 'node:stream';
import type { PolicyRules } from '@bullpen/contracts';
import type { CommandUser } from './command-user.js';

/** What holds a command: a box of the kernel's own, a container of an engine, or nothing but its user and its limits. */
export type SandboxLevel = 'bubblewrap' | 'docker' | 'podman' | 'none';

export interface Sandbox {
  readonly level: SandboxLevel;
  /**
   * Starts a command; resolves when it runs. Throws `tool_failed`, with a text that says what to do, when it can't be started, and the
   * signal's reason when that fires first: then nothing has started.
   */
  start(spec: BoxSpec, signal: AbortSignal): Promise<BoxedProcess>;
}

/** One command and what it may reach. All paths are absolute and real. */
export interface BoxSpec {
  /** One command line for bash. */
  readonly command: string;
  readonly workspacePath: string;
  /** The folder to start in, at or below the workspace. */
  readonly cwd: string;
  /** The command's home where no box gives it one; temporary files go to `tmp` in it. */
  readonly home: string;
  /** PATH of the command; the only thing of the worker's own environment that it may see. */
  readonly path: string;
  /** Needed when this process is root; else ignored. */
  readonly user: CommandUser | null;
  /** Hosts that may be reached, where the box can hold the command to them; none: no network at all. */
  readonly network: PolicyRules['network'];
  /** Protected files beyond those that always are, and exceptions. */
  readonly files: PolicyRules['files'];
  readonly limits: BoxLimits;
}

export interface BoxLimits {
  /** Of the whole box, in bytes. */
  readonly memoryBytes: number;
  readonly processes: number;
  readonly openFiles: number;
  /** Largest file, in bytes: a runaway log ends with SIGXFSZ before it fills the disk. */
  readonly fileBytes: number;
  /** Of one process, in seconds. */
  readonly cpuSeconds: number;
}

export const DEFAULT_BOX_LIMITS: BoxLimits = {
  memoryBytes: 4 * 1024 ** 3,
  processes: 512,
  openFiles: 4_096,
  fileBytes: 1024 ** 3,
  cpuSeconds: 3_600,
};

/** A process that outlives its worker, by pid and start time: a pid that was given to somebody else is never hit. */
export interface ProcessAnchor {
  readonly pid: number;
  /** Clock ticks since boot, the 22nd field of /proc/PID/stat. */
  readonly startTicks: number;
}

export interface BoxedProcess {
  /** When this process is killed, everything that the command started ends with it (at level none: what stayed in its group). */
  readonly anchor: ProcessAnchor;
  /** Standard output and standard error in the order in which they were written. Must be read, or the command stops at a full pipe. */
  readonly output: Readable;
  /** Resolves when nothing of the command is left and the workspace has been looked after. Never rejects. */
  readonly ended: Promise<BoxEnd>;
  /** To everything that the command started. After its end: nothing. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
}

export interface BoxEnd {
  /** Null when a signal ended the command. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The box ended the command because of a limit of its own; null when it did not. */
  readonly limit: 'memory' | null;
  /** Protected paths that the command had made or changed in spite of all, relative to the workspace: they were taken back. */
  readonly takenBack: readonly string[];
  /** Why the command was refused the way to a host, each reason once, with what would open it. */
  readonly refusedHosts: readonly string[];
}

/** One property of an installation: whether it holds, how that was found out, and what to do when it does not. */
import { execFile } from 'node:child_process';

/** `fail`: Bullpen does not work without it. `warn`: it works, with less. `info`: good to know. */
export type CheckStatus = 'ok' | 'info' | 'warn' | 'fail';

export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  /** What was looked at and what was seen. */
  readonly proof: string;
  readonly fix?: string;
}

const TIMEOUT_MS = 5_000;

/** The first line that a program prints; null when it is not there or fails. */
export function firstLineOf(program: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, [...args], { timeout: TIMEOUT_MS }, (error, stdout) => {
      resolve(error === null ? (stdout.split('\n')[0] ?? '') : null);
    });
  });
}

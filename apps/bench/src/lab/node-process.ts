/** The product's processes, as they are installed: compiled, one each, with their logs in the lab's folder. */
import { fork, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface NodeProcess {
  readonly pid: number;
  /**
   * Sends a message to the process and gives the next one that it sends back with that type. Throws when none comes in time, a minute
   * unless told otherwise.
   */
  ask<T extends { readonly type: string }>(
    request: { readonly type: T['type'] },
    withinMs?: number,
  ): Promise<T>;
  /** SIGTERM, and SIGKILL to what does not end within 15 s. */
  stop(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
}

export interface NodeProcessOptions {
  readonly entry: URL;
  readonly args?: readonly string[];
  readonly execArgv?: readonly string[];
  /** All that it is given, but for what every process needs. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
  /** Type of the message that says that it is ready. */
  readonly ready: string;
}

const STOP_MS = 15_000;
const START_MS = 60_000;

/** Starts it and waits until it is ready. Throws with the end of its log when it is not. */
export async function startNode<T extends { readonly type: string }>(
  options: NodeProcessOptions,
): Promise<NodeProcess & { readonly started: T }> {
  const log = openSync(options.log, 'a');
  const child = fork(options.entry, [...(options.args ?? [])], {
    env: options.env,
    execArgv: [...(options.execArgv ?? [])],
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const over = exited.then(() => {
    throw new Error(`${options.entry.pathname} ended:\n${readFileSync(options.log, 'utf8').slice(-2_000)}`);
  });
  over.catch(() => undefined); // Only of interest while somebody waits for a message.
  try {
    const started = await Promise.race([message<T>(child, options.ready, START_MS), over]);
    return {
      started,
      pid: child.pid ?? 0,
      ask: <A extends { readonly type: string }>(request: { type: A['type'] }, withinMs = START_MS) => {
        const answer = message<A>(child, request.type, withinMs);
        child.send(request);
        return Promise.race([answer, over]);
      },
      stop: () => end(child, exited),
      kill: async () => {
        child.kill('SIGKILL');
        await exited;
      },
    };
  } catch (error) {
    await end(child, exited);
    throw error;
  }
}

function message<T extends { readonly type: string }>(
  child: ChildProcess,
  type: string,
  withinMs: number,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No message "${type}" came in time`)), withinMs);
    timer.unref();
    const hear = (received: unknown) => {
      if ((received as { type?: unknown }).type !== type) return;
      clearTimeout(timer);
      child.off('message', hear);
      resolve(received as T);
    };
    child.on('message', hear);
  });
}

async function end(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const late = new AbortController();
  const kill = sleep(STOP_MS, undefined, { signal: late.signal }).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  );
  await exited;
  late.abort();
  await kill;
}

/** What every command is given: the terminal, the environment, and the way to the gateway. */
import { createClient, type BullpenClient } from '@bullpen/client';
import type { Command } from 'commander';
import type { Env, GlobalOptions } from './config.js';
import { findEndpoint, type Endpoint } from './endpoint.js';
import type { ExitCode } from './exit-codes.js';
import type { Io } from './io.js';

export type Client = BullpenClient;

export interface Context {
  readonly io: Io;
  readonly env: Env;
  readonly cwd: string;
  readonly version: string;
  /** How a person types this program here: `bullpen`, or `npx bullpen` where it is on no PATH. */
  readonly command: string;
  /** The exit code of a command that worked as it should and still has no success to report. */
  setExitCode(code: ExitCode): void;
  /**
   * Calls `handler` at Ctrl-C (and SIGTERM) from now on, with the number of times so far; without a handler the process ends.
   * Returns a function that takes the handler away.
   */
  onInterrupt(handler: (times: number, signal: NodeJS.Signals) => void): () => void;
}

/** The options of a command together with the global ones. */
export type Options<T = object> = T & GlobalOptions;

/** Flags of the command together with the global ones, typed by the caller, who has declared them. */
export function optionsOf<T>(command: Command): Options<T> {
  return command.optsWithGlobals<Options<T>>();
}

/** The way to a gateway. */
export interface Connection {
  readonly client: Client;
  readonly endpoint: Endpoint;
  /** Told when requests find no gateway any more, and null when it answers again. May be set at any time. */
  onTrouble: (message: string | null) => void;
  /** Told what a stream cannot give: `events of a kind ...`. May be set at any time. */
  onLeftOut: (what: string) => void;
}

/** A connection to the gateway that the options, the environment or the home folder name. Makes no request yet. */
export function connect(context: Context, options: GlobalOptions, retries?: number): Connection {
  const connection = connectTo(findEndpoint(options, context.env, context.cwd), retries);
  connection.onLeftOut = (what) => context.io.err(leftOutLine(context.io, what));
  return connection;
}

/** Tries again a failed request for about half a second: a person waits. */
const DEFAULT_RETRIES = 1;
/** For commands that outlive a restart of the gateway: about half a minute. */
export const PATIENT_RETRIES = 7;

/** A client that tells people when the connection is lost, and when it is back. */
export function connectTo(endpoint: Endpoint, retries = DEFAULT_RETRIES): Connection {
  const { url: baseUrl, apiKey } = endpoint;
  let lost = false;
  const tell = (message: string | null): void => {
    if (lost === (message !== null)) return;
    lost = message !== null;
    connection.onTrouble(message);
  };
  const watchedFetch: typeof fetch = async (input, init) => {
    try {
      const response = await fetch(input, init);
      tell(null);
      return response;
    } catch (error) {
      if (init?.signal?.aborted !== true) tell(`no answer from ${baseUrl}`);
      throw error;
    }
  };
  const client = createClient({
    ...{ baseUrl, apiKey: apiKey ?? undefined, fetch: watchedFetch, retries },
    onLeftOut: (what) => connection.onLeftOut(what),
  });
  const ignore = (): void => undefined;
  const connection: Connection = { client, endpoint, onTrouble: ignore, onLeftOut: ignore };
  return connection;
}

/** For people who should know that they do not see everything. */
export function leftOutLine({ errColors }: Io, what: string): string {
  return errColors.yellow(`not shown: ${what}`);
}

/** One document: indented for people, on one line for programs, so that the last line of a pipe is the whole of it. */
export function printJson(io: Io, document: unknown): void {
  io.out(JSON.stringify(document, null, io.stdoutIsTerminal ? 2 : undefined));
}

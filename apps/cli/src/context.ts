/** What every command is given: the terminal, the environment, and the way to the gateway. */
import type { Api } from './api.js';
import type { Command } from 'commander';
import { findEndpoint, findHome, type Endpoint, type Env, type GlobalOptions } from './config.js';
import type { ExitCode } from './exit-codes.js';
import type { Io } from './io.js';

export type Client = Api;

export interface Context {
  readonly io: Io;
  readonly env: Env;
  readonly cwd: string;
  readonly version: string;
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

export function optionsOf<T>(command: Command): Options<T> {
  return command.optsWithGlobals<Options<T>>();
}

/** A client for the gateway that the options, the environment or the home folder name. */
export function connect(context: Context, options: GlobalOptions): { client: Client; endpoint: Endpoint; home: string } {
  const endpoint = findEndpoint(options, context.env, context.cwd);
  const home = findHome(options, context.env, context.cwd);
  return { client: clientFor(endpoint), endpoint, home };
}

export function clientFor(endpoint: Pick<Endpoint, 'url' | 'apiKey'>): Client {
  throw new Error(endpoint.url);
}

/** Prints one JSON document; with line breaks for people, and one line where a machine reads line by line. */
export function printJson(io: Io, document: unknown): void {
  io.out(JSON.stringify(document, null, 2));
}

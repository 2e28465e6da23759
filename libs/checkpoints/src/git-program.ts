/**
 * Runs git on a store of our own. Only ever on objects: no step names a workspace as work tree, so nothing that lies in one (attributes,
 * filters, hooks, settings of a nested repository) has a say in what git does. Settings of the user, the system and the environment do not either.
 */
import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

/** A step of git that did not end with 0, or did not start. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';

  constructor(
    readonly step: string,
    /** Null when it ended by a signal, or never started. */
    readonly status: number | null,
    readonly said: string,
    /** Of the file system, like ENOENT where git is not installed. */
    readonly code: string | null = null,
  ) {
    super(`git ${step} ${code ?? (status === null ? 'was ended' : `ended with ${status}`)}: ${said.trim()}`);
  }

  /** There is no such program. */
  get isMissing(): boolean {
    return this.code === 'ENOENT';
  }

  get isDiskFull(): boolean {
    return /No space left on device|Disk quota exceeded/.test(this.said);
  }
}

export type GitInput = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface GitRun {
  readonly input?: GitInput;
  readonly signal?: AbortSignal | undefined;
  /** More than `GIT_*` of its own: see `environment`. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Settings that hold for every step; as arguments, because those win over what any file says. */
const SETTINGS = {
  'core.bare': 'true',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  // Names are bytes to us; what a file system elsewhere would make of them is checked where they are written.
  'core.protectNTFS': 'false',
  'core.protectHFS': 'false',
  'core.quotePath': 'false',
  'core.bigFileThreshold': '16m',
  'core.logAllRefUpdates': 'false',
  'core.compression': '1',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'pack.threads': '2',
  'pack.windowMemory': '128m',
  'protocol.allow': 'never',
} as const;

export class GitProgram {
  /** @param folder the bare repository, or where one is to be made. */
  constructor(
    readonly folder: string,
    private readonly program = 'git',
  ) {}

  /** What the step printed. Throws `GitFailed` whenever it did not end with 0: what it printed until then is never taken for its answer. */
  async run(args: readonly string[], options: GitRun = {}): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.stream(args, options)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** As `run`, one line. */
  async line(args: readonly string[], options: GitRun = {}): Promise<string> {
    return (await this.run(args, options)).toString('latin1').trimEnd();
  }

  /** As `run`, piece by piece. Ends the program when the reader stops early. Throws at the end when the step failed. */
  async *stream(args: readonly string[], options: GitRun = {}): AsyncGenerator<Buffer> {
    const { signal } = options;
    signal?.throwIfAborted();
    const child = spawn(this.program, [...settings(), ...args], {
      cwd: '/',
      env: environment(this.folder, options.env),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const step = args[0] ?? '';
    const ended = new Promise<GitFailed | null>((resolve) => {
      const said = buffer(child.stderr).then(
        (bytes) => bytes.toString('utf8'),
        () => '',
      );
      child.once('error', (error: NodeJS.ErrnoException) =>
        resolve(new GitFailed(step, null, error.message, error.code ?? 'EUNKNOWN')),
      );
      child.once('close', (status) => {
        if (status === 0) resolve(null);
        else void said.then((text) => resolve(new GitFailed(step, status, text)));
      });
    });
    const stop = (): void => void child.kill('SIGKILL');
    signal?.addEventListener('abort', stop, { once: true });
    // A step that ends before it has read everything is judged by its status.
    const fed = feed(child.stdin, options.input).catch((error: Error) => {
      if (isBrokenPipe(error)) return null;
      stop();
      return error;
    });
    try {
      for await (const chunk of child.stdout) yield chunk as Buffer;
      const feedError = await fed;
      const failure = await ended;
      signal?.throwIfAborted();
      if (feedError !== null) throw feedError;
      if (failure !== null) throw failure;
    } finally {
      signal?.removeEventListener('abort', stop);
      if (child.exitCode === null && child.signalCode === null) stop();
      await ended;
    }
  }
}

async function feed(stdin: NodeJS.WritableStream, input: GitInput | undefined): Promise<null> {
  const source = input === undefined ? [] : typeof input === 'string' ? [Buffer.from(input)] : input;
  await pipeline(source instanceof Uint8Array ? Readable.from([source]) : Readable.from(source), stdin);
  return null;
}

function isBrokenPipe(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

function settings(): string[] {
  return Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Built from nothing: whatever GIT_* this process was started with, tracing and other stores included, is not handed on. */
function environment(folder: string, extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin',
    LC_ALL: 'C',
    TZ: 'UTC',
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    GIT_DIR: folder,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_AUTHOR_NAME: 'bullpen',
    GIT_AUTHOR_EMAIL: 'bullpen@localhost',
    GIT_COMMITTER_NAME: 'bullpen',
    GIT_COMMITTER_EMAIL: 'bullpen@localhost',
    ...extra,
  };
}

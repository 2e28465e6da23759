/**
 * A machine in a folder, as an attacker would like to find it: the home of the person that runs the worker, the installation's own
 * home with workspaces of several tasks, servers, a process of somebody else; and our code that stands in between.
 */
import { randomBytes } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NO_RULES } from '@bullpen/contracts';
import {
  prepareHome,
  runCommand,
  type CommandResult,
  type CommandSpec,
  type CommandUser,
  type ProcessAnchor,
  type Sandbox,
} from '@bullpen/workspace';
import { escaped, type Finding } from './finding.js';
import { Canaries } from './canaries.js';
import { Listeners } from './listeners.js';
import { FileTools } from './file-tools.js';

export interface ArenaOptions {
  /** Empty, writable, and open to the user that commands run as. */
  readonly folder: string;
  readonly sandbox: Sandbox;
  /** Null where the worker is no root. */
  readonly user: CommandUser | null;
  /** Secrets that this process was given in its environment. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Of the machine's own programs, and Node's. */
const PATH = `${dirname(process.execPath)}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`;
export const INSTALLATION = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');

export class Arena {
  readonly canaries = new Canaries();
  readonly tools = new FileTools();
  /** In the environment and arguments of whatever an attack starts. */
  readonly cookie = `escape${randomBytes(8).toString('hex')}`;
  /** Of every box of the present attack. */
  readonly anchors: ProcessAnchor[] = [];
  /** The workspace of the present attack. */
  workspace = '';
  #attacks = 0;

  private constructor(
    readonly options: ArenaOptions,
    readonly listeners: Listeners,
    /** Somebody else's process, with a secret in its environment and one in its arguments. */
    readonly bystander: ChildProcess,
  ) {
    for (const [name, value] of Object.entries(options.environment)) this.canaries.secret(name, value);
  }

  static async open(options: ArenaOptions): Promise<Arena> {
    const listeners = await Listeners.open(join(options.folder, 'run'), randomBytes(4).toString('hex'));
    const secret = randomBytes(12).toString('hex');
    const bystander = spawn('/bin/sh', ['-c', 'while :; do sleep 1; done', `argument-${secret}`], {
      env: { PATH, TOKEN: `variable-${secret}` },
      stdio: 'ignore',
      cwd: '/',
      ...options.user,
    });
    const arena = new Arena(options, listeners, bystander);
    arena.canaries.secret('a bystander’s argument', `argument-${secret}`);
    arena.canaries.secret('a bystander’s variable', `variable-${secret}`);
    arena.#plantHomes();
    return arena;
  }

  get folder(): string {
    return this.options.folder;
  }

  /** BULLPEN_HOME. */
  get home(): string {
    return join(this.folder, 'bullpen');
  }

  get workspaces(): string {
    return join(this.home, 'workspaces');
  }

  /** Another task's. */
  get neighbour(): string {
    return join(this.workspaces, 'task_neighbour');
  }

  /** For temporary files of our own code; see `TMPDIR`. */
  get tmp(): string {
    return join(this.folder, 'tmp');
  }

  /** A new, empty workspace for the next attack, beside the others; the one before is taken away. */
  newWorkspace(): string {
    this.#attacks += 1;
    this.anchors.length = 0;
    if (this.workspace !== '') rmSync(this.workspace, { recursive: true, force: true });
    this.workspace = join(this.workspaces, `task_${this.#attacks}`);
    this.folderOfUser(this.workspace);
    return this.workspace;
  }

  /** Makes a folder that belongs to whoever commands run as. */
  folderOfUser(path: string): void {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    this.give(path);
  }

  /** Writes files of the present workspace, as a command would have. */
  files(content: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(content)) {
      const path = join(this.workspace, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    this.giveAll(this.workspace);
  }

  give(path: string): void {
    const { user } = this.options;
    if (user !== null) lchownSync(path, user.uid, user.gid);
  }

  giveAll(folder: string): void {
    if (this.options.user === null) return;
    this.give(folder);
    const entries = readdirSync(folder, { withFileTypes: true });
    for (const entry of entries.filter(({ name }) => !name.includes('\uFFFD')))
      if (entry.isDirectory()) this.giveAll(join(folder, entry.name));
      else this.give(join(folder, entry.name));
  }

  /** Runs a command in the present workspace as a worker does. */
  async run(
    command: string,
    more: Partial<CommandSpec> = {},
    sandbox: Sandbox = this.#noting(),
  ): Promise<CommandResult> {
    const { user } = this.options;
    const workspacePath = more.workspacePath ?? this.workspace;
    const spec = {
      command: `export ESCAPE_COOKIE=${this.cookie}\n${command}`,
      workspacePath,
      cwd: workspacePath,
      home: await prepareHome(join(this.home, 'homes'), workspacePath, user),
      path: PATH,
      user,
      files: NO_RULES.files,
      network: NO_RULES.network,
      timeoutMs: 20_000,
      graceMs: 500,
      ...more,
    };
    return runCommand(sandbox, spec, AbortSignal.timeout(60_000));
  }

  /** Somebody else's process must live through it all. */
  harmToBystander(): readonly Finding[] {
    const { exitCode, signalCode, pid } = this.bystander;
    if (exitCode === null && signalCode === null && !isStopped(pid ?? 0)) return [];
    return [escaped(`a process of somebody else was ended or stopped (${signalCode ?? exitCode})`)];
  }

  close(): void {
    this.bystander.kill('SIGKILL');
    this.listeners.close();
  }

  /** The sandbox; notes what it starts. */
  #noting(): Sandbox {
    const { sandbox } = this.options;
    return {
      level: sandbox.level,
      start: async (spec, signal) => {
        const started = await sandbox.start(spec, signal);
        this.anchors.push(started.anchor);
        return started;
      },
    };
  }

  #plantHomes(): void {
    const { canaries, folder, home } = this;
    const person = join(folder, 'person');
    const secrets: readonly (readonly [file: string, label: string])[] = [
      [join(person, '.ssh/id_ed25519'), 'the ssh key'],
      [join(person, '.aws/credentials'), 'the aws key'],
      [join(person, '.npmrc'), 'the npm token'],
      [join(person, '.config/gh/hosts.yml'), 'the GitHub token'],
      [join(home, 'key'), 'the gateway’s key'],
      [join(home, 'postgres/password'), 'the database’s password'],
      [join(this.neighbour, 'secret.txt'), 'a neighbour’s file'],
      [join(home, 'homes/other/.netrc'), 'a neighbour’s home'],
    ];
    for (const [file, label] of secrets) canaries.plant(file, label);
    for (const open of [folder, home, this.workspaces]) chmodSync(open, 0o711);
    const { user } = this.options;
    // As after a command of that task: they belong to the user that ours run as.
    for (const path of [this.neighbour, join(this.neighbour, 'secret.txt')])
      if (user !== null) chownSync(path, user.uid, user.gid);
    canaries.watch(...secrets.flatMap(([file]) => [file, dirname(file)]), person);
    canaries.watch(
      INSTALLATION,
      `${INSTALLATION}/package.json`,
      `${INSTALLATION}/node_modules/zod/package.json`,
    );
    canaries.watch(...[folder, home, this.workspaces].map((place) => join(place, 'bullpen-escaped')));
    canaries.watch('/etc/passwd', '/etc/bullpen-escaped', '/usr/bullpen-escaped', '/usr/bin/bullpen-escaped');
    canaries.watch(
      '/tmp/bullpen-escaped',
      '/var/tmp/bullpen-escaped',
      '/dev/shm/bullpen-escaped',
      '/bullpen-escaped',
    );
  }
}

function isStopped(pid: number): boolean {
  return /^State:\s+[Tt]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

/** A workspace, a home and a user for specs of sandboxes; and whether the machine has bubblewrap, which some need. */
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from '@jest/globals';
import { NO_RULES } from '@bullpen/contracts';
import { runCommand, type CommandResult, type CommandSpec } from '../processes/run-command.js';
import { nobodyUser, prepareHome, type CommandUser } from '../sandbox/command-user.js';
import type { Sandbox } from '../sandbox/sandbox.js';

const hasBubblewrap = existsSync('/usr/bin/bwrap');
if (process.env['REQUIRE_SANDBOX'] === '1' && !hasBubblewrap)
  throw new Error('REQUIRE_SANDBOX=1, and there is no bubblewrap here');

/** A test that needs bubblewrap; REQUIRE_SANDBOX=1 makes its absence a failure. */
export const itInBox = hasBubblewrap ? it : it.skip;

export const isRoot = process.getuid?.() === 0;

export class BoxBench {
  private constructor(
    readonly base: string,
    readonly workspace: string,
    readonly user: CommandUser | null,
  ) {}

  static async make(): Promise<BoxBench> {
    const base = await realpath(await mkdtemp(path.join(tmpdir(), 'box-')));
    await chmod(base, 0o755);
    const bench = new BoxBench(base, path.join(base, 'workspace'), isRoot ? await nobodyUser() : null);
    await mkdir(bench.workspace);
    await bench.giveToUser(bench.workspace);
    return bench;
  }

  get stateFolder(): string {
    return path.join(this.base, 'sandbox');
  }

  /** Files by their paths in the workspace, with their folders; all belong to the user of commands. */
  async write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, content] of Object.entries(files)) {
      const names = name.split('/');
      for (let count = 1; count < names.length; count += 1)
        await this.folder(names.slice(0, count).join('/'));
      await writeFile(this.in(name), content);
      await this.giveToUser(this.in(name));
    }
  }

  async folder(name: string): Promise<void> {
    await mkdir(this.in(name), { recursive: true });
    await this.giveToUser(this.in(name));
  }

  in(name: string): string {
    return path.join(this.workspace, name);
  }

  async spec(command: string, more: Partial<CommandSpec> = {}): Promise<CommandSpec> {
    return {
      command,
      workspacePath: this.workspace,
      cwd: this.workspace,
      home: await prepareHome(path.join(this.base, 'homes'), this.workspace, this.user),
      path: '/usr/local/bin:/usr/bin:/bin',
      user: this.user,
      files: NO_RULES.files,
      network: NO_RULES.network,
      timeoutMs: 60_000,
      graceMs: 2_000,
      ...more,
    };
  }

  async run(sandbox: Sandbox, command: string, more: Partial<CommandSpec> = {}): Promise<CommandResult> {
    return runCommand(sandbox, await this.spec(command, more), new AbortController().signal);
  }

  async remove(): Promise<void> {
    await rm(this.base, { recursive: true, force: true });
  }

  private async giveToUser(file: string): Promise<void> {
    if (this.user !== null) await chown(file, this.user.uid, this.user.gid);
  }
}

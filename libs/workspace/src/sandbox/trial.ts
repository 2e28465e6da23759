/** A workspace and a home of our own, in which a sandbox is tried out. */
import { chownSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { NO_RULES } from '@bullpen/contracts';
import { OURS, OURS_TO_PASS, ownFolder } from '@bullpen/platform';
import { runCommand, type CommandResult, type CommandSpec } from '../processes/run-command.js';
import { userToDropTo, type CommandUser } from './command-user.js';
import type { Sandbox } from './sandbox.js';

export interface TrialOptions {
  /** Folder that only this installation writes to and the command user can enter. */
  readonly stateFolder: string;
  readonly user: CommandUser | null;
}

const MOST_MS = 30_000;

export class Trial {
  private readonly workspace: string;
  private readonly home: string;

  /** @param name what shares a name shares the workspace */
  constructor(
    private readonly options: TrialOptions,
    name: string,
  ) {
    this.workspace = path.join(options.stateFolder, name, 'workspace');
    this.home = path.join(options.stateFolder, name, 'home');
    ownFolder(path.join(options.stateFolder, name), OURS_TO_PASS);
    for (const folder of [this.workspace, this.home]) {
      ownFolder(folder, OURS);
      this.giveToUser(folder);
    }
  }

  /** Makes a file in the workspace that the command's user may write. */
  write(name: string, text: string): void {
    writeFileSync(path.join(this.workspace, name), text);
    this.giveToUser(path.join(this.workspace, name));
  }

  /** Runs a line as the user and with the profile of all others. */
  run(sandbox: Sandbox, command: string, more: Partial<CommandSpec> = {}): Promise<CommandResult> {
    const { user } = this.options;
    const spec: CommandSpec = {
      ...{ command, workspacePath: this.workspace, cwd: this.workspace, home: this.home, user },
      ...{ path: '/usr/bin:/bin', files: NO_RULES.files, network: NO_RULES.network },
      ...{ timeoutMs: MOST_MS / 2, ...more },
    };
    return runCommand(sandbox, spec, AbortSignal.timeout(MOST_MS));
  }

  private giveToUser(place: string): void {
    const user = userToDropTo(this.options.user);
    if (user !== null) chownSync(place, user.uid, user.gid);
  }
}

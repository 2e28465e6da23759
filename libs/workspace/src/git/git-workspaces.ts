/** Makes the workspaces that are clones, as the settings of the installation have it. */
import type { GitSpec } from '@bullpen/contracts';
import type { GitCredential, ProxySettings } from '@bullpen/platform';
import type { CommandUser } from '../sandbox/command-user.js';
import { cloneInto, namedIn } from './clone.js';
import { giveAll } from './give-all.js';
import { GitMirrors } from './mirrors.js';

/** What clones are made with. */
export interface GitWorkspacesOptions {
  readonly settings: GitSettings;
  /** Folder that holds the mirrors; made on first use. */
  readonly mirrorsRoot: string;
  /** Where git is found, as in PATH. */
  readonly path: string;
}

/** The settings of an installation that concern clones. */
export interface GitSettings extends ProxySettings {
  readonly GIT_IDENTITY: string;
  readonly GIT_CREDENTIALS?: readonly GitCredential[] | undefined;
  readonly GIT_ALLOW_PRIVATE?: readonly string[] | undefined;
}

export class GitWorkspaces {
  private readonly mirrors: GitMirrors;

  constructor(private readonly options: GitWorkspacesOptions) {
    const { settings, mirrorsRoot, path } = options;
    this.mirrors = new GitMirrors({
      ...{ root: mirrorsRoot, path, proxy: settings },
      credentials: settings.GIT_CREDENTIALS ?? [],
      allowPrivate: settings.GIT_ALLOW_PRIVATE ?? [],
    });
  }

  /**
   * Fills an empty folder that nobody else can enter yet, and gives it to the owner. Throws `invalid_workspace` for what is not
   * there or not to be read, `workspace_failed` when the repository can't be reached.
   */
  async fill(
    folder: string,
    spec: GitSpec,
    tenantId: string,
    owner: CommandUser | null,
    signal: AbortSignal,
  ): Promise<void> {
    const { settings, path } = this.options;
    const shown = await this.mirrors.fetch(spec.url, tenantId, namedIn(spec), signal);
    await cloneInto(folder, spec, shown, { path, identity: settings.GIT_IDENTITY }, signal);
    await giveAll(folder, owner, signal);
  }
}

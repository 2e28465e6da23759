/** What a task may work on: which folders of this machine, which repositories. The worker checks again when it makes the workspace: this is for a clear answer. */
import { AppError, type TaskWorkspace } from '@bullpen/contracts';
import { WorkspaceManager } from '@bullpen/workspace';
import type { GatewaySettings } from '../http/tokens.js';

export type WorkspaceSettings = Pick<
  GatewaySettings,
  'WORKSPACE_PATHS' | 'WORKSPACE_IN_PLACE' | 'GIT_HOSTS' | 'GIT_PROTOCOLS' | 'BULLPEN_HOME'
>;

/** Throws `invalid_workspace`, naming the field, when the settings do not allow the folder or the repository, or it is none. */
export async function checkWorkspace(workspace: TaskWorkspace, settings: WorkspaceSettings): Promise<void> {
  // It needs nothing but what is stored.
  if (workspace.kind === 'fork') return;
  const manager = new WorkspaceManager({
    root: `${settings.BULLPEN_HOME}/workspaces`,
    allowPaths: settings.WORKSPACE_PATHS,
    allowInPlace: settings.WORKSPACE_IN_PLACE,
    gitRules: { hosts: settings.GIT_HOSTS, protocols: settings.GIT_PROTOCOLS },
    commandUser: null,
  });
  try {
    await manager.checkSpec(workspace);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const pointer = workspace.kind === 'git' ? '/workspace/url' : '/workspace/path';
    const errors = [{ pointer, detail: error.message }];
    throw new AppError(error.code, error.message, { cause: error, details: { errors } });
  }
}

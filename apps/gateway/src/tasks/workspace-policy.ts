/** Which folders of this machine a task may work on. The worker checks again when it makes the workspace: this is for a clear answer. */
import { AppError, type WorkspaceSpec } from '@bullpen/contracts';
import { WorkspaceManager } from '@bullpen/workspace';
import type { GatewaySettings } from '../http/tokens.js';

/** Throws `invalid_workspace`, naming the field, when the settings do not allow the folder, or it is none. */
export async function checkWorkspace(
  workspace: WorkspaceSpec,
  { WORKSPACE_PATHS, BULLPEN_HOME }: Pick<GatewaySettings, 'WORKSPACE_PATHS' | 'BULLPEN_HOME'>,
): Promise<void> {
  const manager = new WorkspaceManager({
    root: `${BULLPEN_HOME}/workspaces`,
    allowPaths: WORKSPACE_PATHS,
    commandUser: null,
  });
  try {
    await manager.checkSpec(workspace);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const errors = [{ pointer: '/workspace/path', detail: error.message }];
    throw new AppError(error.code, error.message, { cause: error, details: { errors } });
  }
}

/** Under which key the policy of a project is kept: the real path of its folder, whatever name a task gave it. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { WorkspaceOrigin } from '@bullpen/contracts';

/** The key of a folder. One that is not there has the key that its name alone gives. */
export async function projectKey(folder: string): Promise<string> {
  return realpath(folder).catch(() => path.resolve(folder));
}

/** The key of the project that a workspace was made from; null for one that began empty. */
export async function projectKeyOf(workspace: WorkspaceOrigin): Promise<string | null> {
  return workspace.kind === 'path' ? projectKey(workspace.path) : null;
}

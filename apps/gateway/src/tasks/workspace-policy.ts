/** Which folders of this machine a task may work on. The worker checks again when it opens files: this is for a clear answer. */
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative } from 'node:path';
import { AppError, type WorkspaceSpec } from '@bullpen/contracts';
import type { GatewaySettings } from '../http/tokens.js';

/** Throws `invalid_workspace` when the settings do not allow the folder, or it is none. */
export async function checkWorkspace(
  workspace: WorkspaceSpec,
  allowed: GatewaySettings['WORKSPACE_PATHS'],
): Promise<void> {
  if (workspace.kind === 'empty') return;
  const { path } = workspace;
  if (allowed === 'none')
    throw refused(
      'this installation lets no task work on folders of the machine',
      'Use the workspace {"kind": "empty"}.',
    );
  if (!isAbsolute(path)) throw refused('must be an absolute path', 'Give the whole path, starting with "/".');
  const folder = await realFolder(path);
  if (allowed === 'any') return;
  const roots = await Promise.all(allowed.map((root) => realpath(root).catch(() => root)));
  if (!roots.some((root) => isInside(root, folder)))
    throw refused(
      `is not inside ${allowed.join(' or ')}`,
      'Use such a folder, or extend the setting WORKSPACE_PATHS.',
    );
}

/** Resolved, so that a link inside an allowed folder does not lead out of it. */
async function realFolder(path: string): Promise<string> {
  try {
    const folder = await realpath(path);
    if ((await stat(folder)).isDirectory()) return folder;
  } catch (cause) {
    throw refused(`there is no folder ${path} that the gateway can open`, 'Check the path.', cause);
  }
  throw refused(`${path} is not a folder`, 'Give the path of a folder.');
}

function isInside(root: string, folder: string): boolean {
  const way = relative(root, folder);
  return way === '' || (!way.startsWith('..') && !isAbsolute(way));
}

function refused(detail: string, advice: string, cause?: unknown): AppError {
  return new AppError('invalid_workspace', `The workspace cannot be used: ${detail}.`, {
    cause,
    details: { errors: [{ pointer: '/workspace/path', detail }], nextActions: [advice] },
  });
}

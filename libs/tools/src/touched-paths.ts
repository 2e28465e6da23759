/** What `inspect` of the file tools says about a path: the same resolution as at use, without opening anything. */
import { NO_RULES } from '@bullpen/contracts';
import { protectionOf, type CallFacts, type ToolContext, type TouchedPath } from '@bullpen/core';
import { locate } from '@bullpen/workspace';

/** Where the path leads. Empty for one that no file can have: the tool itself says what is wrong with it. */
export async function touchedPaths(
  workspace: string,
  given: string,
  access: TouchedPath['access'],
): Promise<readonly TouchedPath[]> {
  const located = await locate(workspace, given);
  if (located === null) return [];
  const { path, place } = located;
  const isProtected = place === 'inside' && protectionOf(path, NO_RULES.files) !== null;
  return [{ path, access, place: isProtected ? 'protected' : place }];
}

/** `inspect` of a tool that touches what its argument `path` names, and nothing else. */
export function pathInspection(
  access: TouchedPath['access'],
): (args: { readonly path: string }, context: ToolContext) => Promise<CallFacts> {
  return async ({ path }, { workspacePath }) => ({ paths: await touchedPaths(workspacePath, path, access) });
}

/** Checks agent files as this installation would load them. */
import { join, resolve } from 'node:path';
import { HARNESS_TOOL_NAMES } from '@bullpen/core';
import { checkAgents, extensionsFolder, loadExtensions, type CheckedAgents } from '@bullpen/extensions';
import { schemaIssues, TOOL_NAMES } from '@bullpen/tools';
import type { GlobalOptions } from '../config.js';
import type { Context } from '../context.js';
import { findHome } from '../place.js';

/** `path`: a file or a folder; undefined: the installation's own agents. Tools that were added here count as known. */
export async function checkAgentFiles(
  { cwd, env }: Context,
  path: string | undefined,
  options: GlobalOptions,
): Promise<CheckedAgents> {
  const home = findHome(options, env, cwd);
  const builtInTools = [...TOOL_NAMES, ...HARNESS_TOOL_NAMES];
  const modules = (env['EXTENSIONS'] ?? '').split(',').map((name) => name.trim());
  const { tools } = await loadExtensions({
    ...{ home, builtInTools, schemaIssues },
    modules: modules.filter((name) => name !== ''),
  });
  const toolNames = [...builtInTools, ...tools.map(({ name }) => name)];
  const place = path === undefined ? join(extensionsFolder(home), 'agents') : resolve(cwd, path);
  return checkAgents(place, { toolNames, schemaIssues });
}

/** Checks agent files as this installation would load them. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { builtInAgents, checkAgents, extensionsFolder, type CheckedAgents } from '@bullpen/extensions';
import type { GlobalOptions } from '../config.js';
import type { Context } from '../context.js';
import { findHome } from '../place.js';
import { agentFileContext } from './agent-file-context.js';
import { agentsOfFolder } from './workspace-agents.js';

/** `path`: a file or a folder; undefined: the agents of the installation and of this folder. Tools that were added here count as known. */
export async function checkAgentFiles(
  context: Context,
  path: string | undefined,
  options: GlobalOptions,
): Promise<CheckedAgents> {
  const { cwd, env } = context;
  const known = await agentFileContext(context, options);
  if (path !== undefined) return checkAgents(resolve(cwd, path), known);
  const own = join(extensionsFolder(findHome(options, env, cwd)), 'agents');
  const installed = existsSync(own) ? checkAgents(own, known) : { agents: [], problems: [] };
  const taken = [...builtInAgents(), ...installed.agents].map(({ name }) => name);
  const here = await agentsOfFolder(context, options, taken);
  return {
    agents: [...installed.agents, ...here.agents],
    problems: [...installed.problems, ...here.problems],
  };
}

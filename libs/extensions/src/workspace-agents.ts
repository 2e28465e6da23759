/** Agents that stand in a workspace: texts that came from there. What is wrong with one leaves it out, and nothing else. */
import { createHash } from 'node:crypto';
import type { AgentDefinition, GivenAgentFile } from '@bullpen/contracts';
import { parseAgentFile, type AgentFileContext } from './agent-file.js';
import type { ExtensionProblem, Flaw } from './problem.js';

/** Settings that are not for a stranger's file to choose. */
const NOT_THEIRS = ['model', 'profile', 'helperProfile', 'retry'] as const;

export interface WorkspaceAgents {
  readonly agents: readonly AgentDefinition[];
  readonly problems: readonly ExtensionProblem[];
}

/** The agents of these files, in their order. A name counts once, and never those in `taken`. Pure. */
export function workspaceAgents(
  files: readonly GivenAgentFile[],
  taken: readonly string[],
  context: AgentFileContext,
): WorkspaceAgents {
  const agents: AgentDefinition[] = [];
  const problems: ExtensionProblem[] = [];
  const owners = new Map(taken.map((name) => [name, 'an agent of this installation']));
  for (const { path, text } of files) {
    const tell = (flaws: readonly Flaw[]) => problems.push(...flaws.map((flaw) => ({ file: path, ...flaw })));
    const parsed = parseAgentFile(text.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n'), {
      ...context,
      refused: NOT_THEIRS,
    });
    if ('flaws' in parsed) {
      tell(parsed.flaws);
      continue;
    }
    const { definition, nameLine } = parsed;
    const owner = owners.get(definition.name);
    if (owner !== undefined) {
      tell([{ line: nameLine, message: `name: ${definition.name} is the name of ${owner}; choose another` }]);
      continue;
    }
    owners.set(definition.name, `the agent in ${path}`);
    agents.push({
      ...definition,
      file: { path, sha256: createHash('sha256').update(text).digest('hex') },
    });
  }
  return { agents, problems };
}

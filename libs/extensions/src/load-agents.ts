/** Reads the agents of all sources. A file that is wrong is left out and told about; it stops nothing else. */
import { join } from 'node:path';
import type { AgentDefinition, AgentSource } from '@bullpen/contracts';
import { parseAgentFile, type AgentFileContext } from './agent-file.js';
import { readOwned } from './owned-file.js';
import type { ExtensionProblem } from './problem.js';
import { BUILT_IN, filesIn, sourceOf, type Source } from './sources.js';

export interface LoadedAgent {
  readonly definition: AgentDefinition;
  readonly source: AgentSource;
  readonly path: string;
}

/** In the order of sources and files. The first agent with a name has it. */
export function loadAgents(
  sources: readonly Source[],
  context: AgentFileContext,
  problems: ExtensionProblem[],
): readonly LoadedAgent[] {
  const agents = new Map<string, LoadedAgent>();
  for (const source of sources) {
    for (const file of agentFiles(source, problems)) {
      const read = readOwned(file, source.folder);
      if ('refused' in read) {
        problems.push({ file, line: null, message: read.refused });
        continue;
      }
      const parsed = parseAgentFile(read.text, context);
      if ('flaws' in parsed) {
        problems.push(...parsed.flaws.map((flaw) => ({ file, ...flaw })));
        continue;
      }
      const { definition, nameLine } = parsed;
      const other = agents.get(definition.name);
      if (other === undefined)
        agents.set(definition.name, { definition, source: sourceOf(source, file), path: file });
      else
        problems.push({
          file,
          line: nameLine,
          message: `name: ${takenText(definition.name, other)}; choose another`,
        });
    }
  }
  return [...agents.values()];
}

/** The agents that ship with the product; an empty `model` means the installation's default model. */
export function builtInAgents(): readonly AgentDefinition[] {
  const problems: ExtensionProblem[] = [];
  const agents = loadAgents([BUILT_IN], { toolNames: null, schemaIssues: () => [] }, problems);
  return agents.map(({ definition }) => definition);
}

function agentFiles(source: Source, problems: ExtensionProblem[]): readonly string[] {
  const { agents, files, folder } = source;
  return (
    files ??
    agents?.map((name) => join(folder.path, 'agents', name)) ??
    filesIn(source, 'agents', /\.md$/i, problems)
  );
}

function takenText(name: string, { source, path }: LoadedAgent): string {
  return source.kind === 'built-in'
    ? `${name} is the name of an agent that ships with Bullpen`
    : `${name} is taken by ${path}`;
}

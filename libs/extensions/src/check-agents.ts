/** Looks at agent files before they are used: nothing is loaded, and nothing that they say is done. */
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { AgentDefinition } from '@bullpen/contracts';
import type { AgentFileContext } from './agent-file.js';
import { loadAgents } from './load-agents.js';
import type { ExtensionProblem } from './problem.js';
import { BUILT_IN, filesIn, type Source } from './sources.js';

export interface CheckedAgents {
  readonly agents: readonly AgentDefinition[];
  readonly problems: readonly ExtensionProblem[];
}

/** Checks one file, or the agent files of a folder. A name that an agent of the product has is a problem, too. */
export function checkAgents(path: string, context: AgentFileContext): CheckedAgents {
  const problems: ExtensionProblem[] = [];
  if (!existsSync(path))
    return { agents: [], problems: [{ file: path, line: null, message: 'does not exist' }] };
  const isFolder = statSync(path).isDirectory();
  const source: Source = {
    kind: 'file',
    module: null,
    // Who owns them matters where they are used.
    folder: { path: isFolder ? path : dirname(path), owners: null },
  };
  const files = isFolder ? filesIn(source, '.', /\.md$/i, problems) : [join(dirname(path), basename(path))];
  const found = loadAgents([BUILT_IN, { ...source, files }], context, problems);
  return {
    agents: found.filter(({ source: { kind } }) => kind === 'file').map(({ definition }) => definition),
    problems,
  };
}

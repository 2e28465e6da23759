/** What people have added to this installation, and what of it cannot be used. */
import { plural } from '@bullpen/contracts';
import { extensionsFolder, loadExtensions, problemText } from '@bullpen/extensions';
import type { UpSettings } from '@bullpen/platform';
import { BUILT_IN_TOOLS, schemaIssues } from '@bullpen/tools';
import type { Check } from './check.js';

/** One check for all that works, and one for each fault. */
export async function extensionChecks({
  BULLPEN_HOME: home,
  EXTENSIONS: modules = [],
}: UpSettings): Promise<Check[]> {
  const { sources, tools, profiles, problems } = await loadExtensions({
    home,
    modules,
    builtInTools: BUILT_IN_TOOLS,
    schemaIssues,
  });
  const added = [...sources].flatMap(([name, { kind }]) => (kind === 'built-in' ? [] : [name]));
  const toolNames = tools.map(({ name }) => name);
  const from = [extensionsFolder(home), ...modules].join(', ');
  const models = profiles.size === 0 ? '' : `, ${counted([...profiles.keys()], 'model profile')}`;
  const proof = `${counted(added, 'agent')} and ${counted(toolNames, 'tool')}${models} from ${from}`;
  const isEmpty = added.length + tools.length + profiles.size === 0;
  const summary: Check = { name: 'Extensions', status: isEmpty ? 'info' : 'ok', proof };
  const faults = problems.map((problem): Check => {
    const fix = 'correct it and restart Bullpen; until then it is left out, and the rest runs';
    return { name: 'Extension', status: 'warn', proof: problemText(problem), fix };
  });
  return [summary, ...faults];
}

function counted(names: readonly string[], what: string): string {
  return `${plural(names.length, what)}${names.length > 0 ? ` (${names.join(', ')})` : ''}`;
}

/** What people have added to this installation, and what of it cannot be used. */
import { plural } from '@bullpen/contracts';
import { HARNESS_TOOL_NAMES } from '@bullpen/core';
import { extensionsFolder, loadExtensions, problemText } from '@bullpen/extensions';
import type { UpSettings } from '@bullpen/platform';
import { schemaIssues, TOOL_NAMES } from '@bullpen/tools';
import type { Check } from './check.js';

/** One check for all that works, and one for each fault. */
export function extensionChecks({ BULLPEN_HOME: home, EXTENSIONS: modules = [] }: UpSettings): Check[] {
  const { sources, problems } = loadExtensions({
    home,
    modules,
    builtInTools: [...TOOL_NAMES, ...HARNESS_TOOL_NAMES],
    schemaIssues,
  });
  const added = [...sources].flatMap(([name, { kind }]) => (kind === 'built-in' ? [] : [name]));
  const from = [extensionsFolder(home), ...modules].join(', ');
  const proof = `${plural(added.length, 'agent')}${added.length > 0 ? ` (${added.join(', ')})` : ''} from ${from}`;
  const summary: Check = { name: 'Extensions', status: added.length > 0 ? 'ok' : 'info', proof };
  const faults = problems.map((problem): Check => {
    const fix = 'correct it and restart Bullpen; until then it is left out, and the rest runs';
    return { name: 'Extension', status: 'warn', proof: problemText(problem), fix };
  });
  return [summary, ...faults];
}

/** Rules that a project has for whoever works on it: AGENTS.md, and CLAUDE.md, which many have instead or besides. */
import { statSync } from 'node:fs';
import path from 'node:path';
import type { RuleFile } from '@bullpen/contracts';
import { readText } from './read-text.js';

const NAMES = ['AGENTS.md', 'CLAUDE.md'] as const;
/** Each file counts for itself: a long one at the top takes nothing from the one that is nearest. */
const MOST_BYTES = 32 * 1_024;

/** The files in these folders, relative to the workspace, in their order. One that says what the one before it says is left out. */
export async function projectRules(
  workspacePath: string,
  folders: readonly string[],
): Promise<readonly RuleFile[]> {
  const rules: RuleFile[] = [];
  for (const folder of folders) {
    if (statSync(path.join(workspacePath, folder), { throwIfNoEntry: false })?.isDirectory() !== true)
      continue;
    const inFolder: RuleFile[] = [];
    for (const name of NAMES) {
      const file = folder === '' ? name : `${folder}/${name}`;
      const found = await readText(workspacePath, file, MOST_BYTES);
      if (found === null || inFolder.some(({ sha256 }) => sha256 !== '' && sha256 === found.sha256)) continue;
      inFolder.push({ path: file, ...found });
    }
    rules.push(...inFolder);
  }
  return rules;
}

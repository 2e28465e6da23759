/** Agent files that stand in a folder, as texts. The folder can be a stranger's: nothing outside of it is read, and nothing is run. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { GivenAgentFile } from '@bullpen/contracts';
import { readText, type FoundText } from './read-text.js';

/** Far more than a prompt needs, and little enough to go with each task. */
const MOST_BYTES = 64 * 1_024;
const MOST_OF_ALL = 256 * 1_024;
const MOST_FILES = 20;

/** A text, or why there is none. */
export type FoundAgentFile = GivenAgentFile | { readonly path: string; readonly problem: string };

/** What stands in `folder`, a path below `root`, in the order of names; none where there is no such folder. */
export async function agentFilesIn(root: string, folder: string): Promise<readonly FoundAgentFile[]> {
  if (!existsSync(root)) return [];
  const place = path.join(realpathSync(root), folder);
  const names = (await namesIn(place)).filter((name) => /^[^.].*\.md$/i.test(name)).sort();
  const found: FoundAgentFile[] = [];
  let left = MOST_OF_ALL;
  for (const name of names.slice(0, MOST_FILES)) {
    const file = `${folder}/${name}`;
    // A name that no path may have is shown as one that can be read.
    const shown = file.toWellFormed().slice(0, 300);
    const read = await readText(place, name, Math.min(MOST_BYTES, left));
    const problem = problemOf(read);
    found.push({ path: shown, ...(problem === null ? { text: read?.text ?? '' } : { problem }) });
    left -= problem === null ? (read?.bytes ?? 0) : 0;
  }
  const more = names.length - MOST_FILES;
  if (more > 0)
    found.push({ path: folder, problem: `holds ${more} files more than the ${MOST_FILES} that are read` });
  return found;
}

/** Most folders have no agents. One that is reached by a link, its own or one above, has none either: it may lead anywhere. */
async function namesIn(place: string): Promise<readonly string[]> {
  if (!existsSync(place) || realpathSync(place) !== place || !statSync(place).isDirectory()) return [];
  return readdir(place);
}

function problemOf(read: FoundText | null): string | null {
  if (read === null) return 'is gone';
  if (read.cut)
    return `is too large: ${read.bytes} bytes, where ${MOST_BYTES} are allowed, and ${MOST_OF_ALL} for all files`;
  return read.problem ?? (read.text.trim() === '' ? 'is empty' : null);
}

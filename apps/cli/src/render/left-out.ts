/** What a copied workspace lacks, in one line. */
import type { TaskEvent } from '@bullpen/contracts';
import { oneLine } from './plain-text.js';

/** So many paths are named; the rest is counted. */
const NAMED = 3;

export function leftOutText({ data }: Extract<TaskEvent, { type: 'workspace.incomplete' }>): string {
  const named = data.leftOut.slice(0, NAMED).map(({ path, why }) => oneLine(`${path} (${why})`));
  const more = data.total - named.length;
  return `not copied: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** What the code index knows, as lines. Pure. */
import type { IndexStats } from '@bullpen/code-index';
import { plural } from '@bullpen/contracts';
import { oneLine } from './plain-text.js';

const SHOWN = 10;

export function statsLines(stats: IndexStats): readonly string[] {
  const languages = Object.entries(stats.languages).sort(([, a], [, b]) => b - a);
  const share = (part: number) => `${stats.calls === 0 ? 0 : Math.round((100 * part) / stats.calls)} %`;
  return [
    `${languages.map(([language, files]) => `${language} ${files}`).join(', ')}; ${plural(stats.generated, 'generated file')}`,
    `${stats.symbols} symbols, ${stats.imports} imports`,
    `${stats.calls} calls: ${share(stats.resolved)} lead to a symbol of this folder, ${share(stats.possible)} may lead to one of several, ${share(stats.unresolved)} lead to none (most are of libraries)`,
    `${plural(stats.blindSpots, 'place')} where names are made at run time`,
    ...listed('left out', Object.entries(stats.skipped)),
    ...listed(
      'read in part',
      Object.entries(stats.partlyRead).map(([path, lines]) => [path, `line ${lines.join(', ')}`] as const),
    ),
  ];
}

function listed(what: string, files: readonly (readonly [string, string])[]): readonly string[] {
  if (files.length === 0) return [];
  return [
    `${plural(files.length, 'file')} ${what}:`,
    ...files.slice(0, SHOWN).map(([path, why]) => `  ${oneLine(path)}: ${oneLine(why)}`),
    ...(files.length > SHOWN ? [`  and ${files.length - SHOWN} more`] : []),
  ];
}

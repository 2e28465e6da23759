/** What a merge does or did, file by file. Pure. */
import { shownPath, type Conflict, type Outcome } from '@bullpen/checkpoints';
import type { Colors } from '../io.js';
import { oneLine } from './plain-text.js';

const WHY: Readonly<Record<Conflict['why'], string>> = {
  both_changed: 'changed here and by the task',
  both_added: 'added here and by the task, with other content',
  gone_here: 'removed here, changed by the task',
  gone_there: 'changed here, removed by the task',
  in_the_way: 'something else is in its place here',
  changed_meanwhile: 'changed here just now',
  closed: 'may not be read or written here',
  protected: "one of a repository's own files",
};

/** A line for each file: what changes, what is there already, and what does not go together, with its versions by path. */
export function outcomeLines(
  outcomes: readonly Outcome[],
  versions: ReadonlyMap<string, string>,
  colors: Colors,
): string {
  return outcomes.map((outcome) => lineOf(outcome, versions, colors)).join('\n');
}

function lineOf(outcome: Outcome, versions: ReadonlyMap<string, string>, colors: Colors): string {
  const path = oneLine(shownPath(outcome.path));
  switch (outcome.kind) {
    case 'there':
      return colors.dim(`= ${path}  already there`);
    case 'conflict': {
      const text = versions.get(outcome.path);
      const lines = text === undefined ? '' : `\n${indented(text)}`;
      return `${colors.red(`! ${path}  ${WHY[outcome.why]}`)}${lines}`;
    }
    case 'merged':
      return `M ${path}  joined with your changes`;
    case 'taken': {
      const from = outcome.from === null ? '' : `${oneLine(shownPath(outcome.from))} -> `;
      if (outcome.wanted === null) return `D ${path}`;
      return `${outcome.ours === null ? 'A' : 'M'} ${from}${path}`;
    }
  }
}

const MOST_LINES = 20;

/** The first lines of a text. */
function indented(text: string): string {
  const lines = text.split('\n').slice(0, MOST_LINES);
  return lines.map((line) => `    ${oneLine(line)}`).join('\n');
}

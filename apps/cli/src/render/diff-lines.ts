/** A unified diff for a terminal: what goes in red, what comes in green. Pure. */
import type { Colors } from '../io.js';
import { plainText } from './plain-text.js';
import { plural } from './format.js';

/** More than this is not read at a prompt anyway; the whole is in `bullpen inbox show --json`. */
const MOST_LINES = 400;

/** A diff in colours, without control characters, and cut where it would fill the screen. */
export function diffLines(diff: string, colors: Colors): string[] {
  const lines = plainText(diff).trimEnd().split('\n');
  const rest = lines.length - MOST_LINES;
  return [
    ...lines.slice(0, MOST_LINES).map((line) => paint(line, colors)),
    ...(rest > 0 ? [colors.dim(`… ${plural(rest, 'more line')}`)] : []),
  ];
}

function paint(line: string, colors: Colors): string {
  if (line.startsWith('+++') || line.startsWith('---')) return colors.bold(line);
  if (line.startsWith('@@')) return colors.cyan(line);
  if (line.startsWith('+')) return colors.green(line);
  return line.startsWith('-') ? colors.red(line) : line;
}

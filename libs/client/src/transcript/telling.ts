/** The one argument of a call that says most, for whoever shows calls on one line. */
import type { Json } from '@bullpen/contracts';

/** Most telling first. */
const TELLING = [
  'title',
  'command',
  'path',
  'pattern',
  'query',
  'question',
  'regex',
  'name',
  'agent',
  'prompt',
  'message',
  'result',
];
const LONGEST = 300;

/** Such as the command or the path, as it came; empty when no argument is a text. Never longer than needed to tell calls apart. */
export function tellingArgument(args: Json | null): string {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return '';
  const entries = new Map(Object.entries(args));
  const key = TELLING.find((name) => typeof entries.get(name) === 'string');
  const value =
    key === undefined ? [...entries.values()].find((item) => typeof item === 'string') : entries.get(key);
  return typeof value === 'string' ? value.slice(0, LONGEST) : '';
}

/** A tool call on one line: the tool and the one argument that says most. */
import type { Json } from '@bullpen/contracts';
import { oneLine } from './plain-text.js';

/** Arguments that say what a call is about, most telling first. */
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

/** Such as `read_file src/index.ts`; never longer than needed to tell calls apart, safe to print. */
export function toolLine(tool: string, args: Json | null): string {
  const detail = tellingArgument(args);
  return oneLine(detail === '' ? tool : `${tool} ${detail}`);
}

function tellingArgument(args: Json | null): string {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return '';
  const entries = new Map(Object.entries(args));
  const key = TELLING.find((name) => typeof entries.get(name) === 'string');
  const value =
    key === undefined ? [...entries.values()].find((item) => typeof item === 'string') : entries.get(key);
  return typeof value === 'string' ? value.slice(0, 300) : '';
}

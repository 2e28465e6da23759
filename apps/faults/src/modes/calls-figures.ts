/** Compares what the index says of calls with the lists that were made by reading. */
import { fileURLToPath } from 'node:url';
import { meantBy, traceCallees, traceCallers, type CodeIndexes } from '@bullpen/code-index';
import { HAND_CHECKED, type HandChecked } from './hand-checked.js';

export interface CallFigures {
  readonly functions: number;
  readonly languages: number;
  /** Of the calls that the index tells of, those that are there. */
  readonly precision: number;
  /** Of the calls that are there, those that the index tells of. */
  readonly recall: number;
  /** What differs, in words. */
  readonly differences: readonly string[];
}

/** From the sources and from what is compiled alike. */
const FIXTURES = new URL('../../fixtures/calls/', import.meta.url);

export async function compareCalls(indexes: CodeIndexes, signal: AbortSignal): Promise<CallFigures> {
  const count = { told: 0, written: 0, both: 0 };
  const differences: string[] = [];
  for (const one of HAND_CHECKED) {
    const told = await toldOf(indexes, one, signal);
    for (const direction of ['callers', 'callees'] as const) {
      const written = new Set(one[direction]);
      const missing = [...written].filter((name) => !told[direction].has(name));
      const wrong = [...told[direction]].filter((name) => !written.has(name));
      count.told += told[direction].size;
      count.written += written.size;
      count.both += written.size - missing.length;
      const where = `${one.repository} ${one.symbol}, ${direction}:`;
      differences.push(
        ...missing.map((name) => `${where} ${name} is missing`),
        ...wrong.map((name) => `${where} ${name} is none`),
      );
    }
  }
  return {
    functions: HAND_CHECKED.length,
    languages: new Set(HAND_CHECKED.map(({ repository }) => repository)).size,
    precision: count.both / count.told,
    recall: count.both / count.written,
    differences,
  };
}

/** What the index asserts: what it marks as merely possible is no assertion. */
async function toldOf(
  indexes: CodeIndexes,
  { repository, symbol }: HandChecked,
  signal: AbortSignal,
): Promise<Readonly<Record<'callers' | 'callees', ReadonlySet<string>>>> {
  const view = await indexes.viewOf(fileURLToPath(new URL(`${repository}/`, FIXTURES)), signal);
  const meant = meantBy(view, symbol);
  const [only] = meant;
  if (only === undefined || meant.length > 1)
    throw new Error(`${symbol} of ${repository} means ${meant.length} symbols`);
  const names = ({ calls }: ReturnType<typeof traceCallers>) =>
    new Set(calls.filter(({ certainty }) => certainty !== 'possible').map(({ name }) => name));
  return { callers: names(traceCallers(view, only, 1)), callees: names(traceCallees(view, only, 1)) };
}

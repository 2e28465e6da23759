/** Intent, modes and the index against their goals. */
import { CodeIndexes } from '@bullpen/code-index';
import { compareCalls, type CallFigures } from './calls-figures.js';
import { measureIndex, type IndexFigures } from './index-figures.js';
import { measureIntent, type IntentFigures } from './intent-figures.js';

export interface ModesReport extends IntentFigures {
  readonly index: IndexFigures;
  readonly calls: CallFigures;
  /** Goals that are missed by a little, which a busy machine does; those that are missed clearly are `missed`. */
  readonly near: readonly string[];
  readonly missed: readonly string[];
  readonly seconds: number;
}

/** How many times a goal of time may be taken before it counts as missed: other work on the same processors costs that much. */
const TOLERANCE = 2.5;

/** Runs everything; `told` gets the progress. */
export async function testModes(told: (line: string) => void, signal: AbortSignal): Promise<ModesReport> {
  const startedAt = performance.now();
  told('intent: the labelled prompts');
  const intent = measureIntent(told);
  told('calls: what the index says of twenty functions, beside what a reader found');
  const calls = await withIndexes((indexes) => compareCalls(indexes, signal));
  for (const difference of calls.differences) told(`  ${difference}`);
  told('index: installed packages');
  const index = await measureIndex(signal);
  const times = [
    ['build', index.buildSeconds, 30, 's'],
    ['update', index.updateMs, 200, 'ms'],
    ['answer', index.answerMs, 50, 'ms'],
  ] as const;
  const late = times.flatMap(([name, is, goal, unit]) =>
    is < goal
      ? []
      : [{ isClear: is >= goal * TOLERANCE, text: `${name}: ${is} ${unit}, the goal is ${goal}` }],
  );
  const missed = [
    ...(intent.agreement >= 0.9 ? [] : [`agreement: ${intent.agreement}, the goal is 0.9`]),
    ...(intent.modesReached === 23 ? [] : [`modes reached: ${intent.modesReached} of 23`]),
    ...(index.files >= 3_000 ? [] : [`files: ${index.files}, and 3000 are wanted`]),
    ...(calls.differences.length === 0 ? [] : [`calls: ${calls.differences.length} differ from the lists`]),
    ...late.filter(({ isClear }) => isClear).map(({ text }) => text),
  ];
  const near = late.filter(({ isClear }) => !isClear).map(({ text }) => text);
  for (const text of missed) told(`MISSED ${text}`);
  for (const text of near) told(`late, which a busy machine can be: ${text}`);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return { ...intent, index, calls, near, missed, seconds };
}

async function withIndexes<T>(use: (indexes: CodeIndexes) => Promise<T>): Promise<T> {
  const indexes = new CodeIndexes(null);
  try {
    return await use(indexes);
  } finally {
    await indexes.close();
  }
}

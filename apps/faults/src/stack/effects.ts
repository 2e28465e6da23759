/** What commands did, against what the plans asked for and what the books say. */
import { readFileSync } from 'node:fs';
import type { CommandRow, TaskRow } from './books.js';
import { plansOf, tokensOf } from './plan.js';
import type { Accepted } from './submitter.js';

/** What a call is told that a lost worker had started: it may have happened, and was not tried again. */
export const CUT_OFF = /^The worker was lost while/m;

/** What a call of an answer without a known good end is told: none of them runs. */
const CUT_ANSWER = /^Your answer was cut off/m;

/** Tokens in the effects file, in order. */
export function effectsIn(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}

/** Effects that are on record and did not happen, that should have happened and are not on record, that failed for no reason. */
export function wrongEffects(
  accepted: readonly Accepted[],
  tasks: readonly TaskRow[],
  commands: readonly CommandRow[],
  effects: readonly string[],
): string[] {
  const done = new Set(effects);
  const byToken = new Map(
    commands.flatMap((row) => {
      const token = /echo '([^']+)' >>/.exec(row.command)?.[1];
      return token === undefined ? [] : [[token, row]];
    }),
  );
  const completed = new Set(tasks.flatMap(({ title, state }) => (state === 'completed' ? [title] : [])));
  const failed = [...byToken].flatMap(([token, { status, output }]) => {
    if (status === 'done')
      return done.has(token) ? [] : [`the effect ${token} is on record and was not done`];
    // In a task that was cancelled or failed, commands are stopped for good reasons.
    if (status !== 'errored' || !completed.has(token.split('/')[0] ?? '')) return [];
    if (CUT_OFF.test(output) || CUT_ANSWER.test(output)) return [];
    return [`the effect ${token} failed: ${output.slice(0, 200)}`];
  });
  const missing = accepted
    .flatMap(({ plan }) => plansOf(plan))
    .filter(({ key }) => completed.has(key))
    .flatMap(tokensOf)
    .filter((token) => !byToken.has(token));
  return [...failed, ...missing.map((token) => `the effect ${token} was left out`)];
}

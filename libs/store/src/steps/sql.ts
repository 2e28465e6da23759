/** The step path's SQL: one statement a file, prepared under the file's name; of some there are other forms, too. What several share is in `parts/`. */
import { readFileSync } from 'node:fs';
import type { QueryConfig } from 'pg';

/** The files of this folder, by name without the ending, and other forms of `commit-step` and `load-task`. */
export const STEP_STATEMENTS = [
  'admit-wakes',
  'answer-interaction',
  'answer-keys',
  'archive-usage',
  'begin-fork',
  'begin-process',
  'cancel-tasks',
  'change-message',
  'children',
  'claim-deliveries',
  'claim-task',
  'claim-tasks',
  'close-edges',
  'commit-step',
  'commit-step-childless',
  'commit-step-lean',
  'commit-steps',
  'count-repairs',
  'current-interactions',
  'create-task',
  'delete-tree',
  'end-process',
  'expire-leases',
  'fail-overdue',
  'fire-due-waits',
  'fire-trigger',
  'give-back',
  'heal-dispatches',
  'heal-edges',
  'heal-wakes',
  'inherit-history',
  'interrupt-task',
  'later-wakes',
  'left-processes',
  'list-providers',
  'load-task',
  'load-tasks',
  'lock-families',
  'lock-family',
  'lock-tasks',
  'look-at-workspace',
  'look-for-work',
  'lost-processes',
  'mark-announced',
  'open-wait',
  'overdue-tasks',
  'park-provider',
  'pause-provider',
  'pause-tasks',
  'prunable-roots',
  'put-policy',
  'raised-budgets',
  'read-policies',
  'read-provider',
  'read-tails',
  'refused-wakes',
  'register-provider',
  'renew-leases',
  'reopen-workspace',
  'report-processes',
  'resume-provider',
  'resume-tasks',
  'retry-task',
  'returned-wakes',
  'rewind-task',
  'see-worker',
  'send-message',
  'send-notice',
  'settle-delivery',
  'subtree',
  'switch-autonomy',
  'take-inbox',
  'take-keys',
  'take-workspace',
  'unclaimed-wakes',
  'update-task',
  'wake-budget-waits',
  'wake-provider-waits',
  'webhook-events',
  'write-off-calls',
  'work-in-hand',
] as const;
export type StepStatement = (typeof STEP_STATEMENTS)[number];

const texts = new Map<StepStatement, string>();

/** A prepared query; each connection parses a statement once. */
export function prepared(name: StepStatement, values: unknown[]): QueryConfig {
  let text = texts.get(name);
  if (text === undefined) {
    text = textOf(name);
    texts.set(name, text);
  }
  return { name, text, values };
}

function textOf(name: StepStatement): string {
  if (name === 'commit-step-childless') return without(textOf('commit-step'), 'children');
  if (name === 'commit-step-lean') return without(textOf('commit-step-childless'), 'rare');
  if (name === 'load-tasks') return forMany(textOf('load-task'));
  return fileText(name).replace(/^-- \[part (\w+)\]\n/gm, (_, part: string) => fileText(`parts/${part}`));
}

/** A statement, or a part that several share. A part of CTEs closes the one before it and leaves its last one open, as the lines around it do. */
function fileText(name: string): string {
  return readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8');
}

const ONE = 'WHERE t.id = $1 AND t.epoch = $2';
const MANY = 'WHERE (t.id, t.epoch) IN (SELECT * FROM unnest($1::text[], $2::int[]))';

/** For one, the form for many takes longer. */
function forMany(text: string): string {
  if (!text.includes(ONE)) throw new Error('load-task.sql has lost the line that says which task');
  return text.replace(ONE, () => MANY);
}

/** Postgres sets up each part of a statement whether or not it will find rows; most of the time of a usual step went there. */
function without(text: string, mark: 'children' | 'rare'): string {
  const shorter = text.replace(new RegExp(`^-- \\[${mark}\\]\n[\\s\\S]*?^-- \\[/${mark}\\]\n`, 'gm'), '');
  if (shorter === text) throw new Error(`commit-step.sql has lost its [${mark}] lines`);
  return shorter;
}

/**
 * JSON text that Postgres takes: no bigint (rows hold them as text); NUL escapes and lone surrogates, which its `text` type cannot hold, become U+FFFD. The executor
 * cleans its texts before, so this changes nothing that came from there; it only keeps a stray value from failing a step.
 */
export function pgJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\u0000') && !text.includes('\\ud')) return text;
  return text.replace(/(\\\\)|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (match, escaped: string | undefined) =>
    escaped ? match : '\ufffd',
  );
}

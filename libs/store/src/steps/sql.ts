/** The step path's SQL: one statement a file, prepared under the file's name. */
import { readFileSync } from 'node:fs';
import type { QueryConfig } from 'pg';

/** The files of this folder, by name without the ending. */
export const STEP_STATEMENTS = [
  'admit-wakes',
  'cancel-tasks',
  'children',
  'claim-task',
  'close-edges',
  'commit-step',
  'count-repairs',
  'create-task',
  'expire-leases',
  'fire-due-waits',
  'heal-dispatches',
  'heal-edges',
  'load-task',
  'lock-family',
  'lock-tasks',
  'mark-announced',
  'open-wait',
  'refused-wakes',
  'renew-leases',
  'retry-task',
  'see-worker',
  'send-message',
  'subtree',
  'unclaimed-wakes',
  'write-off-calls',
] as const;
export type StepStatement = (typeof STEP_STATEMENTS)[number];

const texts = new Map<StepStatement, string>();

/** A prepared query; each connection parses a statement once. */
export function prepared(name: StepStatement, values: unknown[]): QueryConfig {
  let text = texts.get(name);
  if (text === undefined) {
    text = readFileSync(new URL(`./${name}.sql`, import.meta.url), 'utf8');
    texts.set(name, text);
  }
  return { name, text, values };
}

/**
 * JSON text that Postgres takes: NUL escapes and lone surrogates, which its `text` type cannot hold, become U+FFFD. The executor
 * cleans its texts before, so this changes nothing that came from there; it only keeps a stray value from failing a step.
 */
export function pgJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'bigint' ? inner.toString() : inner,
  );
  if (!text.includes('\\u0000') && !text.includes('\\ud')) return text;
  return text.replace(/(\\\\)|\\u(?:0000|d[89a-f][0-9a-f]{2})/g, (match, escaped: string | undefined) =>
    escaped ? match : '\ufffd',
  );
}

import type { Check, Invariant } from './invariant.js';

/** Both histories are numbered 1 to n, and the task knows n: a reader with the last number misses nothing. */
export const i7Gapless: Invariant = {
  id: 'I7',
  title: 'Both histories are numbered without gaps',
  checks: [numbered('ui_events', 'event_seq', 'events'), numbered('api_messages', 'message_seq', 'messages')],
};

function numbered(table: string, counter: string, noun: string): Check {
  return {
    counted: `SELECT count(*) FROM ${table}`,
    violating: `
      SELECT format('task %s has %s ${noun}, numbered %s to %s, and counts %s', t.id, coalesce(h.n, 0), coalesce(h.first, 0), coalesce(h.last, 0), t.${counter}) AS violation
      FROM tasks t
      LEFT JOIN (SELECT task_id, count(*) AS n, min(seq) AS first, max(seq) AS last FROM ${table} GROUP BY task_id) h ON h.task_id = t.id
      WHERE coalesce(h.n, 0) <> t.${counter} OR coalesce(h.last, 0) <> t.${counter} OR (h.n > 0 AND h.first <> 1)`,
  };
}

import { idsOf } from './blocks.js';
import type { Invariant } from './invariant.js';

/**
 * Calls that a message asks for, and results that it brings, for every message that the model is sent: what was dropped may end
 * anywhere.
 */
const MESSAGES = `SELECT m.task_id, m.seq, m.role, ${idsOf('tool_use')} AS uses, ${idsOf('tool_result')} AS results FROM api_messages m WHERE m.dropped_at IS NULL`;

/** What a reduction takes the place of: whole turns before it, so that no call loses its result. */
const REPLACED = `SELECT task_id, seq, (reduction ->> 'fromSeq')::int AS first, (reduction ->> 'toSeq')::int AS last FROM api_messages
  WHERE dropped_at IS NULL AND reduction ->> 'kind' IN ('condense', 'truncate')`;
const SAID =
  'FROM api_messages s WHERE s.task_id = r.task_id AND s.dropped_at IS NULL AND s.reduction IS NULL';

/** Results are those of the message before, all of them, in its order: this finds missing, doubled, misplaced and orphaned ones. */
export const i3ToolResults: Invariant = {
  id: 'I3',
  title: 'Each tool_use has exactly one tool_result, in the next message, in order',
  checks: [
    {
      counted: 'SELECT count(*) FROM api_messages',
      violating: `
        SELECT format('message %s of task %s answers %s, and the message before asked for %s', seq, task_id, results::text, asked::text) AS violation
        FROM (
          SELECT task_id, seq, results, coalesce(lag(uses) OVER (PARTITION BY task_id ORDER BY seq), '{}') AS asked FROM (${MESSAGES}) m
        ) pairs
        WHERE results <> asked`,
    },
    {
      counted: 'SELECT count(*) FROM api_messages',
      violating: `
        SELECT format('message %s of task %s is of the %s and has %s', seq, task_id, role,
                      CASE role WHEN 'user' THEN 'a tool_use' ELSE 'a tool_result' END) AS violation
        FROM (${MESSAGES}) m
        WHERE (role = 'user' AND cardinality(uses) > 0) OR (role = 'assistant' AND cardinality(results) > 0)`,
    },
    {
      counted: 'SELECT count(*) FROM api_messages WHERE reduction IS NOT NULL',
      violating: `
        SELECT format('message %s of task %s takes the place of %s to %s, and these are no whole turns before it', r.seq, r.task_id, r.first, r.last)
          AS violation
        FROM (${REPLACED}) r
        WHERE r.last >= r.seq
          OR (SELECT s.role ${SAID} AND s.seq >= r.first ORDER BY s.seq LIMIT 1) IS DISTINCT FROM 'assistant'
          OR (SELECT s.role ${SAID} AND s.seq > r.last ORDER BY s.seq LIMIT 1) IS DISTINCT FROM 'assistant'`,
    },
    {
      counted: "SELECT count(*) FROM tasks WHERE state = 'completed'",
      violating: `
        SELECT format('task %s is completed, and its last message leaves %s open', last.task_id, last.uses::text) AS violation
        FROM tasks t JOIN (${MESSAGES}) last ON last.task_id = t.id
          AND last.seq = (SELECT max(seq) FROM api_messages WHERE task_id = t.id AND dropped_at IS NULL)
        WHERE t.state = 'completed' AND cardinality(last.uses) > 0`,
    },
  ],
};

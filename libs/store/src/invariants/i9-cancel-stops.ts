import type { Invariant } from './invariant.js';

/** Start times are the workers' clocks, cancel times the database's: this far apart they may be without meaning anything. */
const CLOCK_SLACK = "interval '10 seconds'";

/** Within a task the event numbers tell what came first, exactly; across a tree and for calls without events, the times do. */
export const i9CancelStops: Invariant = {
  id: 'I9',
  title: 'After a cancel no tool of that tree starts',
  checks: [
    {
      counted: "SELECT count(*) FROM ui_events WHERE type = 'task.cancel_requested'",
      violating: `
        SELECT format('tool call %s of task %s started (event %s) after its cancel (event %s)', s.data ->> 'callId', s.task_id, s.seq, c.seq) AS violation
        FROM ui_events c JOIN ui_events s ON s.task_id = c.task_id AND s.type IN ('tool.started', 'workspace.setup_started') AND s.seq > c.seq
        WHERE c.type = 'task.cancel_requested' AND NOT EXISTS (
          -- Somebody let it go on: what starts then is of another attempt.
          SELECT FROM ui_events a WHERE a.task_id = c.task_id AND a.seq > c.seq AND a.seq < s.seq AND a.type = 'task.status_changed'
            AND a.data ->> 'from' = 'cancelled')`,
    },
    {
      counted: 'SELECT count(*) FROM tasks WHERE cancel_requested_at IS NOT NULL',
      violating: `
        WITH RECURSIVE cancelled AS (
          SELECT id, id AS by, cancel_requested_at AS at FROM tasks WHERE cancel_requested_at IS NOT NULL
          UNION ALL
          SELECT t.id, c.by, c.at FROM tasks t JOIN cancelled c ON t.parent_id = c.id
        )
        SELECT format('tool call %s of task %s started at %s, and the cancel of %s was at %s', k.id, k.task_id, k.started_at, c.by, c.at) AS violation
        FROM cancelled c JOIN tool_calls k ON k.task_id = c.id WHERE k.started_at > c.at + ${CLOCK_SLACK}`,
    },
    {
      counted: 'SELECT count(*) FROM tasks WHERE cancel_requested_at IS NOT NULL',
      violating: `
        WITH RECURSIVE below AS (
          SELECT t.id, p.id AS by FROM tasks t JOIN tasks p ON t.parent_id = p.id WHERE p.cancel_requested_at IS NOT NULL
          UNION ALL
          SELECT t.id, b.by FROM tasks t JOIN below b ON t.parent_id = b.id
        )
        SELECT format('task %s is %s and was not told that %s above it was cancelled', t.id, t.state, b.by) AS violation
        FROM below b JOIN tasks t ON t.id = b.id
        WHERE t.cancel_requested_at IS NULL AND t.state NOT IN ('completed', 'failed', 'cancelled')`,
    },
  ],
};

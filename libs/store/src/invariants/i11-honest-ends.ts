import { LEGAL_MOVES } from '@bullpen/core';
import type { Invariant } from './invariant.js';

const ENDED = "('completed', 'failed', 'cancelled')";
const LEGAL = Object.entries(LEGAL_MOVES).flatMap(([from, targets]) => targets.map((to) => ({ from, to })));

/** How a task ended is told the same way by its state, its cause and its events, and the moves that led there are legal. */
export const i11HonestEnds: Invariant = {
  id: 'I11',
  title: 'An end is what its state says, reached by legal moves; only a goal is a success',
  checks: [
    {
      counted: 'SELECT count(*) FROM tasks',
      violating: `
        SELECT format('task %s is %s and %s', t.id, t.state, CASE WHEN t.ended_at IS NULL THEN 'has no time of its end' ELSE format('ended at %s', t.ended_at) END) AS violation
        FROM tasks t WHERE (t.state IN ${ENDED}) <> (t.ended_at IS NOT NULL)`,
    },
    {
      counted: `SELECT count(*) FROM tasks WHERE state IN ${ENDED}`,
      violating: `
        SELECT format('task %s is %s with the cause %s%s', t.id, t.state, coalesce(t.stop_cause, 'none'),
                      CASE WHEN t.failure IS NULL THEN ' and no failure' ELSE '' END) AS violation
        FROM tasks t
        WHERE (t.state = 'completed' AND (t.stop_cause IS DISTINCT FROM 'goal' OR t.failure IS NOT NULL))
           OR (t.state = 'completed' AND t.partial)
           OR (t.state IN ('failed', 'cancelled') AND (t.stop_cause IS NULL OR t.stop_cause = 'goal'))
           OR (t.state = 'failed' AND t.failure IS NULL)`,
    },
    {
      // What the agent itself called partial or blocked did not reach the goal, unless it said otherwise later.
      counted: 'SELECT count(*) FROM tool_calls WHERE completes_task',
      violating: `
        SELECT format('task %s is completed, and its agent said %s', t.id, said.status) AS violation
        FROM tasks t JOIN (
          SELECT DISTINCT ON (task_id) task_id, arguments ->> 'status' AS status
          FROM tool_calls WHERE completes_task ORDER BY task_id, turn DESC, position
        ) said ON said.task_id = t.id
        WHERE t.state = 'completed' AND said.status IN ('partial', 'blocked')`,
    },
    {
      counted: "SELECT count(*) FROM ui_events WHERE type = 'task.status_changed'",
      values: [LEGAL.map(({ from }) => from), LEGAL.map(({ to }) => to)],
      violating: `
        SELECT format('event %s of task %s moves it from %s to %s, which was %s', seq, task_id, "from", "to",
                      CASE WHEN "from" <> at THEN at ELSE 'no legal move' END) AS violation
        FROM (
          SELECT task_id, seq, data ->> 'from' AS "from", data ->> 'to' AS "to",
                 coalesce(lag(data ->> 'to') OVER (PARTITION BY task_id ORDER BY seq), 'queued') AS at
          FROM ui_events WHERE type = 'task.status_changed'
        ) moves
        WHERE "from" IS DISTINCT FROM at
           OR NOT EXISTS (SELECT FROM unnest($1::text[], $2::text[]) AS legal("from", "to") WHERE legal."from" = moves."from" AND legal."to" = moves."to")`,
    },
    {
      counted: 'SELECT count(*) FROM tasks',
      violating: `
        SELECT format('task %s is %s, and its last event left it %s', t.id, t.state, coalesce(last."to", 'queued')) AS violation
        FROM tasks t LEFT JOIN (
          SELECT DISTINCT ON (task_id) task_id, data ->> 'to' AS "to" FROM ui_events WHERE type = 'task.status_changed' ORDER BY task_id, seq DESC
        ) last ON last.task_id = t.id
        WHERE t.state::text <> coalesce(last."to", 'queued')`,
    },
    {
      counted: `SELECT count(*) FROM tasks WHERE state <> 'running'`,
      violating: `
        SELECT format('task %s is %s and still has the lease of worker %s', t.id, t.state, coalesce(t.worker_id, 'none')) AS violation
        FROM tasks t WHERE t.state <> 'running' AND (t.worker_id IS NOT NULL OR t.lease_expires_at IS NOT NULL)`,
    },
    {
      // A cancel reaches a running child when its worker next looks: it may end after its parent.
      counted: 'SELECT count(*) FROM tasks WHERE parent_id IS NOT NULL',
      violating: `
        SELECT format('task %s is %s, and its parent %s is %s', c.id, c.state, p.id, p.state) AS violation
        FROM tasks c JOIN tasks p ON p.id = c.parent_id
        WHERE p.state IN ${ENDED} AND c.state NOT IN ${ENDED} AND c.cancel_requested_at IS NULL`,
    },
  ],
};

import type { Invariant } from './invariant.js';

/** How long the reconciler has to repair what a crash left: a lease that ran out, a wait that is over. */
const GRACE = "interval '60 seconds'";

/** Every task that was accepted is there, and every one that has not ended has something that will move it: a dispatch row, a lease, or a wait that can be satisfied. */
export const i1NeverLost: Invariant = {
  id: 'I1',
  title: 'An accepted task is never lost',
  checks: [
    {
      // Written with the task, and deleted with it when its tree is pruned.
      counted: "SELECT count(*) FROM ui_events WHERE type = 'task.created'",
      violating: `
        SELECT format('task %s was accepted at %s and is gone', e.task_id, e.at) AS violation
        FROM ui_events e
        WHERE e.type = 'task.created' AND NOT EXISTS (SELECT FROM tasks t WHERE t.id = e.task_id)`,
    },
    {
      counted: "SELECT count(*) FROM tasks WHERE state = 'queued'",
      violating: `
        SELECT format('task %s is queued for wake %s without a dispatch row', t.id, t.wake) AS violation
        FROM tasks t
        WHERE t.state = 'queued' AND NOT EXISTS (SELECT FROM dispatches d WHERE d.task_id = t.id AND d.wake = t.wake)`,
    },
    {
      counted: "SELECT count(*) FROM tasks WHERE state = 'running'",
      violating: `
        SELECT format('task %s is running without a live lease (worker %s, expiry %s)', t.id,
                      coalesce(t.worker_id, 'none'), coalesce(t.lease_expires_at::text, 'none')) AS violation
        FROM tasks t
        WHERE t.state = 'running'
          AND (t.worker_id IS NULL OR t.lease_expires_at IS NULL OR t.lease_expires_at < now() - ${GRACE})`,
    },
    {
      counted: "SELECT count(*) FROM tasks WHERE state = 'waiting'",
      violating: `
        SELECT format('task %s is waiting and nothing will wake it: %s', t.id, CASE
                 WHEN w.id IS NULL THEN 'it has no wait'
                 WHEN w.task_id <> t.id THEN format('its wait %s is of task %s', w.id, w.task_id)
                 WHEN w.satisfied_at IS NOT NULL THEN format('its wait %s was satisfied at %s', w.id, w.satisfied_at)
                 WHEN w.due_at IS NOT NULL THEN format('its wait %s was due at %s', w.id, w.due_at)
                 ELSE format('its wait %s has no open child, no due time and no open interaction', w.id)
               END) AS violation
        FROM tasks t LEFT JOIN waits w ON w.id = t.wait_id
        WHERE t.state = 'waiting' AND (
          w.id IS NULL OR w.task_id <> t.id
          OR w.satisfied_at < now() - ${GRACE}
          OR w.due_at < now() - ${GRACE}
          OR (w.satisfied_at IS NULL AND w.due_at IS NULL
              AND NOT EXISTS (
                SELECT FROM wait_edges e JOIN tasks c ON c.id = e.child_id
                WHERE e.wait_id = w.id AND e.closed_at IS NULL AND c.state NOT IN ('completed', 'failed', 'cancelled'))
              AND NOT EXISTS (SELECT FROM interactions i WHERE i.task_id = t.id AND i.answered_at IS NULL)
              -- The end of a park is a row of another table, and comes when a person says so.
              AND w.provider_key IS NULL
              -- A message can come at any time.
              AND t.wait_reason IS DISTINCT FROM 'message'))`,
    },
    {
      counted: 'SELECT count(*) FROM waits WHERE satisfied_at IS NULL',
      violating: `
        SELECT format('wait %s of task %s counts %s open edges and has %s', w.id, w.task_id, w.open_edges, count(e.child_id)) AS violation
        FROM waits w LEFT JOIN wait_edges e ON e.wait_id = w.id AND e.closed_at IS NULL
        WHERE w.satisfied_at IS NULL
        GROUP BY w.id, w.task_id, w.open_edges HAVING w.open_edges <> count(e.child_id)`,
    },
    {
      counted: 'SELECT count(*) FROM wait_edges WHERE closed_at IS NULL',
      violating: `
        SELECT format('task %s still waits for %s, which is %s', p.id, c.id, c.state) AS violation
        FROM wait_edges e JOIN tasks p ON p.wait_id = e.wait_id AND p.state = 'waiting' JOIN tasks c ON c.id = e.child_id
        WHERE e.closed_at IS NULL AND c.state IN ('completed', 'failed', 'cancelled')`,
    },
  ],
};

import type { Invariant } from './invariant.js';

/** A start is recorded, and no call stays started once its task has ended. */
export const i5StartedOnce: Invariant = {
  id: 'I5',
  title: 'A tool call starts once, and its start is on record',
  checks: [
    {
      counted: "SELECT count(*) FROM tool_calls WHERE status = 'calling'",
      violating: `
        SELECT format('tool call %s (%s) is started, and its task %s is %s', c.id, c.tool, t.id, t.state) AS violation
        FROM tool_calls c JOIN tasks t ON t.id = c.task_id
        -- A queued task may have one: its worker was lost, or what the call waited for has come.
        WHERE c.status = 'calling' AND t.state NOT IN ('running', 'waiting', 'queued', 'paused')`,
    },
    {
      counted: "SELECT count(*) FROM tool_calls WHERE started_at IS NOT NULL OR status = 'calling'",
      violating: `
        SELECT format('tool call %s (%s) of task %s is %s, started at %s by epoch %s', c.id, c.tool, c.task_id, c.status,
                      coalesce(c.started_at::text, 'no time'), coalesce(c.started_epoch::text, 'none')) AS violation
        FROM tool_calls c
        WHERE (c.started_at IS NOT NULL OR c.status = 'calling') AND (c.started_at IS NULL OR c.started_epoch IS NULL)`,
    },
    {
      counted: 'SELECT count(*) FROM tool_calls WHERE started_epoch IS NOT NULL',
      violating: `
        SELECT format('tool call %s of task %s was started by epoch %s, and the task is at epoch %s', c.id, t.id, c.started_epoch, t.epoch) AS violation
        FROM tool_calls c JOIN tasks t ON t.id = c.task_id WHERE c.started_epoch > t.epoch`,
    },
    {
      counted: "SELECT count(*) FROM ui_events WHERE type = 'tool.started'",
      violating: `
        SELECT format('tool call %s of task %s was started %s times', data ->> 'callId', task_id, count(*)) AS violation
        FROM ui_events WHERE type = 'tool.started' GROUP BY task_id, data ->> 'callId' HAVING count(*) > 1`,
    },
  ],
};

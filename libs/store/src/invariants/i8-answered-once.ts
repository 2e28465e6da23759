import type { Invariant } from './invariant.js';

/** An answer is whole, and it is tied to one call of its own task. */
export const i8AnsweredOnce: Invariant = {
  id: 'I8',
  title: 'An interaction is answered once, for its own call',
  checks: [
    {
      counted: 'SELECT count(*) FROM interactions',
      violating: `
        SELECT format('interaction %s of task %s is answered in part: answer %s, by %s, at %s', i.id, i.task_id,
                      CASE WHEN i.answer IS NULL THEN 'missing' ELSE 'given' END, coalesce(i.answered_by, 'nobody'), coalesce(i.answered_at::text, 'no time')) AS violation
        FROM interactions i
        WHERE (i.answer IS NULL) <> (i.answered_by IS NULL) OR (i.answer IS NULL) <> (i.answered_at IS NULL)`,
    },
    {
      counted: 'SELECT count(*) FROM interactions WHERE tool_call_id IS NOT NULL',
      violating: `
        SELECT format('interaction %s of task %s is about tool call %s, which is %s', i.id, i.task_id, i.tool_call_id,
                      CASE WHEN c.id IS NULL THEN 'unknown' ELSE format('of task %s', c.task_id) END) AS violation
        FROM interactions i LEFT JOIN tool_calls c ON c.id = i.tool_call_id
        WHERE i.tool_call_id IS NOT NULL AND (c.id IS NULL OR c.task_id <> i.task_id)`,
    },
    {
      counted: "SELECT count(*) FROM interactions WHERE kind = 'approval' AND answered_at IS NOT NULL",
      violating: `
        SELECT format('the arguments %s of tool call %s were approved or denied %s times', i.arguments_hash, i.tool_call_id, count(*)) AS violation
        FROM interactions i WHERE i.kind = 'approval' AND i.answered_at IS NOT NULL
        GROUP BY i.tool_call_id, i.arguments_hash HAVING count(*) > 1`,
    },
    {
      counted: 'SELECT count(*) FROM interactions',
      violating: `
        SELECT format('interaction %s names the tree %s and the tenant %s, and its task %s those of %s and %s', i.id, i.root_id, i.tenant_id, t.id, t.root_id, t.tenant_id) AS violation
        FROM interactions i JOIN tasks t ON t.id = i.task_id WHERE i.root_id <> t.root_id OR i.tenant_id <> t.tenant_id`,
    },
  ],
};

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
      counted:
        "SELECT count(*) FROM interactions WHERE kind = 'approval' AND tool_call_id IS NOT NULL AND answered_at IS NOT NULL",
      violating: `
        SELECT format('the arguments %s of tool call %s were approved or denied %s times', i.arguments_hash, i.tool_call_id, count(*)) AS violation
        FROM interactions i WHERE i.kind = 'approval' AND i.tool_call_id IS NOT NULL AND i.answered_at IS NOT NULL
        GROUP BY i.tool_call_id, i.arguments_hash HAVING count(*) > 1`,
    },
    {
      counted:
        "SELECT count(*) FROM tool_calls WHERE approval ->> 'by' IN ('user', 'expiry') AND approval ->> 'verdict' = 'approve'",
      violating: `
        SELECT format('tool call %s of task %s ran on interaction %s, which %s', c.id, c.task_id, c.approval ->> 'interactionId', CASE
                 WHEN i.id IS NULL THEN 'is not about it'
                 WHEN i.answer ->> 'decision' IS DISTINCT FROM 'approve' THEN 'did not approve it'
                 ELSE 'approved something else' END) AS violation
        FROM tool_calls c
        LEFT JOIN interactions i ON i.id = c.approval ->> 'interactionId' AND i.tool_call_id = c.id
        -- What came along from a task that was forked was approved there.
        WHERE c.started_epoch IS DISTINCT FROM 0 AND c.approval ->> 'by' IN ('user', 'expiry') AND c.approval ->> 'verdict' = 'approve' AND (
          i.id IS NULL OR i.answer ->> 'decision' IS DISTINCT FROM 'approve'
          OR (i.answer -> 'arguments' IS NULL AND i.arguments_hash IS DISTINCT FROM c.approval ->> 'hash'))`,
    },
    {
      counted: "SELECT count(*) FROM tool_calls WHERE approval ->> 'verdict' = 'ask'",
      violating: `
        SELECT format('tool call %s of task %s started while nobody had approved it', c.id, c.task_id) AS violation
        FROM tool_calls c WHERE c.approval ->> 'verdict' = 'ask' AND c.started_at IS NOT NULL`,
    },
    {
      counted: 'SELECT count(*) FROM interactions',
      violating: `
        SELECT format('interaction %s names the tree %s and the tenant %s, and its task %s those of %s and %s', i.id, i.root_id, i.tenant_id, t.id, t.root_id, t.tenant_id) AS violation
        FROM interactions i JOIN tasks t ON t.id = i.task_id WHERE i.root_id <> t.root_id OR i.tenant_id <> t.tenant_id`,
    },
  ],
};

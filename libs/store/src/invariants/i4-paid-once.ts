import type { Check, Invariant } from './invariant.js';

const TOKENS = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
  'cost_nano_usd',
];

/** Came along from the task that this one was forked from, where it was paid for. */
const INHERITED =
  '(epoch = 0 AND EXISTS (SELECT FROM tasks WHERE tasks.id = task_id AND forked_task_id IS NOT NULL))';

/** An answer that was stored is never asked for again, and what was paid adds up exactly. */
export const i4PaidOnce: Invariant = {
  id: 'I4',
  title: 'A stored model answer is never paid for twice, and usage adds up exactly',
  checks: [
    {
      counted: "SELECT count(*) FROM model_calls WHERE status = 'done'",
      violating: `
        SELECT format('turn %s of task %s has %s answered model calls: %s', turn, task_id, count(*), string_agg(id, ', ' ORDER BY id)) AS violation
        FROM model_calls WHERE status = 'done' AND phase NOT IN ('condense', 'intent') GROUP BY task_id, turn HAVING count(*) > 1`,
    },
    {
      // An answered call may leave no message (a refusal, an empty answer); a message without its call cannot be.
      counted: "SELECT count(*) FROM api_messages WHERE role = 'assistant'",
      violating: `
        SELECT format('turn %s of task %s has %s assistant messages and %s answered model calls', m.turn, m.task_id, m.messages, coalesce(c.calls, 0)) AS violation
        FROM (SELECT task_id, turn, count(*) AS messages FROM api_messages WHERE role = 'assistant' AND NOT ${INHERITED} GROUP BY task_id, turn) m
        LEFT JOIN (SELECT task_id, turn, count(*) AS calls FROM model_calls WHERE status = 'done' AND phase NOT IN ('condense', 'intent') GROUP BY task_id, turn) c
          ON c.task_id = m.task_id AND c.turn = m.turn
        WHERE m.messages <> 1 OR c.calls IS NULL`,
    },
    {
      // Whether it still stands or was dropped later: a summary that was paid for is there, and is there once.
      counted: "SELECT count(*) FROM model_calls WHERE status = 'done' AND phase = 'condense'",
      violating: `
        SELECT format('model call %s of task %s wrote %s summaries', c.id, c.task_id, count(m.id)) AS violation
        FROM model_calls c LEFT JOIN api_messages m ON m.task_id = c.task_id AND m.reduction ->> 'modelCallId' = c.id
        WHERE c.status = 'done' AND c.phase = 'condense' GROUP BY c.id, c.task_id HAVING count(m.id) <> 1
        UNION ALL
        SELECT format('message %s of task %s is a summary that no model call wrote', m.seq, m.task_id)
        FROM api_messages m LEFT JOIN model_calls c ON c.id = m.reduction ->> 'modelCallId' AND c.task_id = m.task_id AND c.status = 'done'
        WHERE m.reduction ->> 'kind' = 'condense' AND m.epoch > 0 AND c.id IS NULL`,
    },
    {
      counted: "SELECT count(*) FROM model_calls WHERE status = 'done'",
      violating: `
        SELECT format('model call %s of task %s was answered and has no usage row', c.id, c.task_id) AS violation
        FROM model_calls c WHERE c.status = 'done' AND NOT EXISTS (SELECT FROM usage_records u WHERE u.model_call_id = c.id)`,
    },
    {
      counted: 'SELECT count(*) FROM usage_records',
      violating: `
        SELECT format('usage of model call %s is charged to task %s, and the call is %s', u.model_call_id, u.task_id,
                      CASE WHEN c.id IS NULL THEN 'unknown' ELSE format('%s, of task %s', c.status, c.task_id) END) AS violation
        FROM usage_records u LEFT JOIN model_calls c ON c.id = u.model_call_id LEFT JOIN tasks t ON t.id = u.task_id
        WHERE c.id IS NULL OR c.status = 'started' OR c.task_id <> u.task_id OR t.root_id <> u.root_id OR t.tenant_id <> u.tenant_id`,
    },
    ...TOKENS.map(sumOfTask),
    {
      counted: 'SELECT count(*) FROM budget_accounts',
      violating: `
        SELECT format('the account of %s has spent %s, and its usage rows add up to %s', b.root_id, b.spent_nano_usd, coalesce(u.cost, 0)) AS violation
        FROM budget_accounts b
        LEFT JOIN (SELECT root_id, sum(cost_nano_usd) AS cost FROM usage_records GROUP BY root_id) u ON u.root_id = b.root_id
        WHERE b.spent_nano_usd <> coalesce(u.cost, 0)`,
    },
    {
      counted: 'SELECT count(*) FROM budget_accounts',
      violating: `
        SELECT format('the account of %s has %s reserved, and its running model calls %s', b.root_id, b.reserved_nano_usd, coalesce(c.reserved, 0)) AS violation
        FROM budget_accounts b
        LEFT JOIN (SELECT t.root_id, sum(c.reserved_nano_usd) AS reserved FROM model_calls c JOIN tasks t ON t.id = c.task_id
                   WHERE c.status = 'started' GROUP BY t.root_id) c ON c.root_id = b.root_id
        WHERE b.reserved_nano_usd <> coalesce(c.reserved, 0)`,
    },
    {
      counted: "SELECT count(*) FROM model_calls WHERE status = 'started'",
      violating: `
        SELECT format('model call %s is open, and its task %s is %s', c.id, t.id, t.state) AS violation
        FROM model_calls c JOIN tasks t ON t.id = c.task_id
        WHERE c.status = 'started' AND t.state IN ('completed', 'failed', 'cancelled')`,
    },
    {
      counted: 'SELECT count(*) FROM tasks WHERE parent_id IS NULL',
      violating: `
        SELECT format('the tree of %s has no budget account', t.id) AS violation
        FROM tasks t WHERE t.parent_id IS NULL AND NOT EXISTS (SELECT FROM budget_accounts b WHERE b.root_id = t.root_id)`,
    },
  ],
};

function sumOfTask(column: string): Check {
  return {
    counted: 'SELECT count(*) FROM tasks',
    violating: `
      SELECT format('task %s has ${column} %s, and its usage rows add up to %s', t.id, t.${column}, coalesce(u.total, 0)) AS violation
      FROM tasks t LEFT JOIN (SELECT task_id, sum(${column}) AS total FROM usage_records GROUP BY task_id) u ON u.task_id = t.id
      WHERE t.${column} <> coalesce(u.total, 0)`,
  };
}

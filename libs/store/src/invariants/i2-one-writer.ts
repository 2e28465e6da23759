import type { Invariant } from './invariant.js';

/** Read in order, the epochs of a task's rows never fall: after a new lease the old one wrote nothing. */
export const i2OneWriter: Invariant = {
  id: 'I2',
  title: "One lease at a time writes a task's histories",
  checks: [
    {
      counted: 'SELECT count(*) FROM api_messages',
      violating: `
        SELECT format('message %s of task %s was written by epoch %s after one of epoch %s', seq, task_id, epoch, before) AS violation
        FROM (SELECT task_id, seq, epoch, lag(epoch) OVER (PARTITION BY task_id ORDER BY seq) AS before FROM api_messages) m
        WHERE epoch < before`,
    },
    {
      counted: 'SELECT count(*) FROM ui_events WHERE epoch IS NOT NULL',
      violating: `
        SELECT format('event %s of task %s was written by epoch %s after one of epoch %s', seq, task_id, epoch, before) AS violation
        FROM (SELECT task_id, seq, epoch, lag(epoch) OVER (PARTITION BY task_id ORDER BY seq) AS before
              FROM ui_events WHERE epoch IS NOT NULL) e
        WHERE epoch < before`,
    },
    {
      counted: 'SELECT count(*) FROM tasks',
      violating: `
        SELECT format('task %s is at epoch %s and has a row of epoch %s', t.id, t.epoch, newest.epoch) AS violation
        FROM tasks t JOIN (
          SELECT task_id, max(epoch) AS epoch
          FROM (SELECT task_id, epoch FROM api_messages UNION ALL SELECT task_id, epoch FROM ui_events) rows
          GROUP BY task_id) newest ON newest.task_id = t.id
        WHERE newest.epoch > t.epoch`,
    },
  ],
};

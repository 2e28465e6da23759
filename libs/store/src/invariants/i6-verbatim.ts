import { BLOCKS } from './blocks.js';
import type { Invariant } from './invariant.js';

/** Stored content can be sent back as it is: an array of typed blocks, thinking with its signature. */
export const i6Verbatim: Invariant = {
  id: 'I6',
  title: 'Message contents are whole, thinking blocks with their signatures',
  checks: [
    {
      counted: 'SELECT count(*) FROM api_messages',
      violating: `
        SELECT format('message %s of task %s is no list of content blocks', m.seq, m.task_id) AS violation
        FROM api_messages m
        WHERE CASE WHEN json_typeof(m.content) <> 'array' THEN true
                   WHEN json_array_length(m.content) = 0 THEN true
                   ELSE EXISTS (SELECT FROM json_array_elements(${BLOCKS}) b
                                WHERE json_typeof(b) <> 'object' OR coalesce(b ->> 'type', '') = '') END`,
    },
    {
      counted: "SELECT count(*) FROM api_messages WHERE role = 'assistant'",
      violating: `
        SELECT format('message %s of task %s has a %s block without its %s', m.seq, m.task_id, b.type,
                      CASE b.type WHEN 'thinking' THEN 'signature' ELSE 'data' END) AS violation
        FROM api_messages m CROSS JOIN LATERAL (
          SELECT CASE WHEN json_typeof(value) = 'object' THEN value ->> 'type' END AS type,
                 CASE WHEN json_typeof(value) = 'object' THEN value ->> 'signature' END AS signature,
                 CASE WHEN json_typeof(value) = 'object' THEN value ->> 'data' END AS data
          FROM json_array_elements(${BLOCKS})) b
        WHERE (b.type = 'thinking' AND coalesce(b.signature, '') = '') OR (b.type = 'redacted_thinking' AND coalesce(b.data, '') = '')`,
    },
  ],
};

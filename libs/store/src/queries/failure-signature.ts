/** What failures have in common, as SQL: the message without what differs between tasks, and a name for the whole. */
import { Prisma } from '../generated/client.js';

/**
 * The message without the parts that differ, so that a thousand failures of one kind are one line. The order matters: a path may
 * hold ids, and an id digits.
 */
export function commonMessageOf(table: 't'): Prisma.Sql {
  return Prisma.sql`left(
  regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(coalesce(${Prisma.raw(table)}.failure ->> 'message', ''),
    '(^|[\\s"''(=])(/[\\w.@+~-]+)+/?', '\\1<path>', 'g'),
    '\\m[a-z]{2,12}_[0-9A-Za-z]{20,30}\\M', '<id>', 'g'),
    '\\m[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\\M', '<id>', 'gi'),
    '\\m(?=[0-9a-f]*[0-9])[0-9a-f]{8,}\\M', '<hex>', 'gi'),
    '[0-9]+([.,][0-9]+)*', '<n>', 'g'),
  300)`;
}

/** The name of the group of failures that a failed task belongs to: 16 hexadecimal digits. */
export function signatureOf(table: 't'): Prisma.Sql {
  const name = Prisma.raw(table);
  return Prisma.sql`left(md5(jsonb_build_array(coalesce(${name}.stop_cause, 'error'), coalesce(${name}.failure ->> 'code', ''),
    ${name}.failure ->> 'errorClass', ${commonMessageOf(table)})::text), 16)`;
}

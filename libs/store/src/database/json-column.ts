/** JSON columns are parsed where they are read: what does not fit costs the row that it is in, and says where it is. */
import { AppError, type Json } from '@bullpen/contracts';
import { z } from 'zod';

/** The column of a stored row. */
export interface ColumnRef {
  readonly table: string;
  readonly id: string;
  readonly column: string;
}

/** Any object. Its fields are not looked at: what Postgres gives of a JSON column is JSON. */
export const JsonObject = z.custom<Record<string, Json>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'Invalid input: expected an object',
);

/** @throws AppError `row_unreadable`, which names the column, what is wrong there and what to do */
export function columnOf<T>(schema: z.ZodType<T>, value: unknown, { table, id, column }: ColumnRef): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const where = ['', ...(issue?.path ?? [])].map(String).join('/');
  throw new AppError(
    'row_unreadable',
    `${table}.${column} of ${id} cannot be read${where && ` at ${where}`}: ${issue?.message ?? 'it is not what was written'}. ` +
      'Put the value of a backup back. If a newer version of Bullpen has written it, use that version.',
    { details: { table, id, column } },
  );
}

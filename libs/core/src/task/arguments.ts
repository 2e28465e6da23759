/** Arguments of tools, by zod schemas, and what a model is told about wrong ones. */
import type { Json, JsonSchema } from '@bullpen/contracts';
import { z } from 'zod';

export type ParsedArguments<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly issues: readonly string[] };

/** Parses by a zod schema; each issue names the field and what is expected of it. */
export function parseWith<Schema extends z.ZodType>(
  schema: Schema,
  input: Json,
): ParsedArguments<z.output<Schema>> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, issues: parsed.error.issues.map((issue) => describeIssue(issue, schema)) };
}

function describeIssue(issue: z.core.$ZodIssue, schema: z.ZodType): string {
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0) {
    const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
    return `${issue.keys.join(', ')}: not a parameter of this tool, which takes ${known.join(', ') || 'none'}`;
  }
  const field = issue.path.length === 0 ? 'arguments' : issue.path.map(String).join('.');
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  const text = missing
    ? `is missing; expected ${issue.expected}`
    : issue.message.replace(/^Invalid input: /, '');
  return `${field}: ${text}`;
}

/** The JSON Schema of a zod schema, as a model is shown it: fields with a default are optional. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
  return rest;
}

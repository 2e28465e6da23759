/** Arguments of tools, by zod schemas. */
import type { Json, JsonSchema } from '@bullpen/contracts';
import { z } from 'zod';

export type ParsedArguments =
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly issues: readonly string[] };

/** Parses by a zod schema; issues name the field. */
export function parseWith<T extends Json>(schema: z.ZodType<T>, input: Json): ParsedArguments {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { ok: true, value: parsed.data };
  return {
    ok: false,
    issues: parsed.error.issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`),
  };
}

/** The JSON Schema of a zod schema, as a model is shown it. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema;
  return rest;
}

/** Validates what routes take with the contracts' schemas, and says precisely what is wrong. */
import { similarTo } from '@bullpen/contracts';
import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { z } from 'zod';

import { invalidRequest } from './problem.js';
import { escapePointer, findTextFault, type FieldError } from './text-check.js';

/** Answers stay readable: nobody mends more than this at once. */
const MAX_ERRORS = 20;

/**
 * Global pipe: parses every argument whose decorator names a schema (`@Body({ schema })`, `@Query({ schema })`). Own code rather than
 * Nest's pipe for standard schemas, because suggestions for unknown fields need the schema, not only the issues.
 */
@Injectable()
export class ZodPipe implements PipeTransform {
  transform(value: unknown, { schema, type }: ArgumentMetadata): unknown {
    if (!(schema instanceof z.ZodType)) return value;
    const what = type === 'query' ? 'The query' : 'The body';
    if (type === 'body' && value === undefined && !schema.safeParse(undefined).success)
      throw invalidRequest([{ pointer: '', detail: 'is missing; send a JSON object' }], what);
    // Bodies are looked through as they come in.
    const fault = type === 'body' ? null : findTextFault(value);
    if (fault) throw invalidRequest([fault], what);
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw invalidRequest(fieldErrorsOf(parsed.error, schema).slice(0, MAX_ERRORS), what);
  }
}

/** One error a field, with JSON pointers; an unknown field is named together with the one that was probably meant. */
function fieldErrorsOf(error: z.ZodError, schema: z.ZodType): FieldError[] {
  return error.issues.flatMap((issue): FieldError[] => {
    const pointer = pointerOf(issue.path);
    if (issue.code !== 'unrecognized_keys') return [{ pointer, detail: lowerFirst(issue.message) }];
    const known = fieldNamesAt(schema, issue.path);
    return issue.keys.map((key) => ({
      pointer: `${pointer}/${escapePointer(key.slice(0, 100))}`,
      detail: unknownField(key, known),
    }));
  });
}

function unknownField(key: string, known: readonly string[]): string {
  const similar = similarTo(key, known);
  if (similar !== null) return `unknown field; did you mean "${similar}"?`;
  return known.length > 0 ? `unknown field; known fields are ${known.join(', ')}` : 'unknown field';
}

function pointerOf(path: readonly PropertyKey[]): string {
  return path.map((segment) => `/${escapePointer(String(segment))}`).join('');
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Names of the fields that the schema knows at a path; empty when it is no object there. */
function fieldNamesAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const [head, ...rest] = path;
  return alternatives(schema).flatMap((part) => {
    if (head === undefined) return part instanceof z.ZodObject ? Object.keys(part.shape) : [];
    if (part instanceof z.ZodArray) return fieldNamesAt(part.element, rest);
    const member = part instanceof z.ZodObject ? part.shape[String(head)] : undefined;
    return member ? fieldNamesAt(member, rest) : [];
  });
}

/** The schema without wrappers; a union gives all its options. */
function alternatives(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion)
    return schema.options.flatMap((option: z.core.$ZodType) => alternatives(option));
  if (schema instanceof z.ZodPipe) return alternatives(schema.in);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return alternatives(schema.unwrap());
  return [schema];
}

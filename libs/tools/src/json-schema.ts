/** User-given JSON Schemas (draft 2020-12): are they valid, and does a value fit? */
import { errorText, type Json, type JsonSchema } from '@bullpen/contracts';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** Compiled schemas, newest last. Bounded: schemas come from users. */
const compiled = new Map<string, ValidateFunction>();
const MAX_COMPILED = 200;
/** Problems that are reported at most. */
const MAX_ISSUES = 20;

/** What is wrong with a schema itself; empty when it can be used. Never throws. */
export function schemaIssues(schema: JsonSchema): readonly string[] {
  try {
    compile(schema);
    return [];
  } catch (error) {
    return [`not a usable JSON Schema: ${errorText(error)}`];
  }
}

/** Where a value does not fit a schema, each with its place in the value; empty when it fits. A broken schema fits nothing. */
export function validateJson(schema: JsonSchema, value: Json): readonly string[] {
  let check: ValidateFunction;
  try {
    check = compile(schema);
  } catch (error) {
    return [`the schema itself cannot be used: ${errorText(error)}`];
  }
  if (check(value)) return [];
  return [...new Set((check.errors ?? []).map(issueText))].slice(0, MAX_ISSUES);
}

function compile(schema: JsonSchema): ValidateFunction {
  const key = JSON.stringify(schema);
  const known = compiled.get(key);
  if (known) return known;
  // A fresh instance for each schema: two users may give the same $id to different schemas.
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: true, logger: false });
  formats.default(ajv);
  const check = ajv.compile(schema);
  compiled.set(key, check);
  if (compiled.size > MAX_COMPILED) compiled.delete(compiled.keys().next().value ?? key);
  return check;
}

function issueText({ instancePath, message, params }: ErrorObject): string {
  const place = instancePath === '' ? 'the value' : instancePath;
  const extra =
    'additionalProperty' in params
      ? ` (${String(params['additionalProperty'])})`
      : 'allowedValues' in params
        ? ` (${JSON.stringify(params['allowedValues'])})`
        : '';
  return `${place} ${message ?? 'does not fit'}${extra}`;
}

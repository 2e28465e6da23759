/** What the text between a parameter's tags means, by the tool's schema. */
import type { Json, JsonSchema } from '@bullpen/contracts';

type Fields = Readonly<Record<string, unknown>>;

/** The parameters that a schema names. */
export function parameterNames(schema: JsonSchema): readonly string[] {
  return Object.keys(fields(schema['properties']));
}

/** Whether a tool takes parameters that its schema does not name. */
export function takesAny(schema: JsonSchema): boolean {
  const more = schema['additionalProperties'];
  if (more === undefined) return parameterNames(schema).length === 0;
  return more === true || (typeof more === 'object' && more !== null);
}

/** The JSON types of a parameter's value; none when the schema does not say. */
export function typesOfParameter(schema: JsonSchema, name: string): ReadonlySet<string> {
  const named = fields(schema['properties']);
  return typesOf(
    fields(Object.hasOwn(named, name) ? named[name] : schema['additionalProperties']),
    schema,
    0,
  );
}

function typesOf(schema: Fields, root: JsonSchema, depth: number): ReadonlySet<string> {
  if (depth > 8) return new Set();
  const inner = (part: unknown) => [...typesOf(fields(part), root, depth + 1)];
  const one = schema['type'];
  const fixed = 'const' in schema ? [schema['const']] : list(schema['enum']);
  return new Set([
    ...(typeof one === 'string' ? [one] : list(one).filter((type) => typeof type === 'string')),
    ...fixed.map((value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)),
    ...[...list(schema['anyOf']), ...list(schema['oneOf']), ...list(schema['allOf'])].flatMap(inner),
    ...inner(referred(schema['$ref'], root)),
  ]);
}

/** Whether the text is the value, to the letter, whatever it looks like. */
export function isPlainText(types: ReadonlySet<string>): boolean {
  return types.has('string') && !types.has('array') && !types.has('object');
}

/** The value that a text stands for. Text that does not fit stays text, and the check of the arguments says what was expected. */
export function valueOf(text: string, types: ReadonlySet<string>): Json {
  const value = parsed(text);
  if (value === undefined) return text;
  if (types.has('string') && (typeof value !== 'object' || value === null)) return text;
  return value;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined; // Text, then.
  }
}

/** The part of a schema that a local reference names. */
function referred(reference: unknown, root: JsonSchema): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => fields(at)[name.replaceAll('~1', '/').replaceAll('~0', '~')], root);
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

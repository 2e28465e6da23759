/** Makes the smallest value that fits a JSON schema, for answers whose content does not matter. */

export interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  minItems?: number;
  minLength?: number;
  minimum?: number;
  exclusiveMinimum?: number;
  multipleOf?: number;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  definitions?: Record<string, JsonSchema>;
}

/** A schema that contains itself without a way out would recurse for ever. */
const MAX_DEPTH = 20;
const FORMATS: Readonly<Record<string, string>> = {
  date: '2000-01-01',
  'date-time': '2000-01-01T00:00:00Z',
  time: '00:00:00Z',
  email: 'simulated@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** A minimal value: required members only, the first alternative, the least number. Patterns are not looked at. */
export function minimalValue(schema: JsonSchema): unknown {
  return build(schema, schema, 0);
}

function build(schema: JsonSchema, root: JsonSchema, depth: number): unknown {
  if (depth > MAX_DEPTH) return null;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  if (schema.$ref !== undefined) return build(resolve(schema.$ref, root), root, depth + 1);
  if (schema.allOf !== undefined) return build(merged(schema, root), root, depth + 1);
  const alternative = (schema.anyOf ?? schema.oneOf)?.[0];
  if (alternative !== undefined) return build(alternative, root, depth + 1);
  return ofType(schema, root, depth);
}

function ofType(schema: JsonSchema, root: JsonSchema, depth: number): unknown {
  switch (Array.isArray(schema.type) ? schema.type[0] : (schema.type ?? 'object')) {
    case 'string':
      return FORMATS[schema.format ?? ''] ?? 'simulated'.padEnd(schema.minLength ?? 0, '.');
    case 'integer':
    case 'number':
      return leastNumber(schema);
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => build(schema.items ?? {}, root, depth + 1));
    default:
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [
          name,
          build(schema.properties?.[name] ?? {}, root, depth + 1),
        ]),
      );
  }
}

function leastNumber({ minimum = 0, exclusiveMinimum, multipleOf = 1 }: JsonSchema): number {
  const least = exclusiveMinimum === undefined ? minimum : Math.max(minimum, exclusiveMinimum + multipleOf);
  return Math.ceil(least / multipleOf) * multipleOf;
}

/** Only references inside the document are followed (`#/$defs/…`, `#/definitions/…`, `#`). */
function resolve(reference: string, root: JsonSchema): JsonSchema {
  if (reference === '#') return root;
  const name = reference.split('/').at(-1) ?? '';
  return root.$defs?.[name] ?? root.definitions?.[name] ?? {};
}

function merged({ allOf = [], ...own }: JsonSchema, root: JsonSchema): JsonSchema {
  const parts = [own, ...allOf.map((part) => (part.$ref === undefined ? part : resolve(part.$ref, root)))];
  return {
    ...Object.assign({}, ...parts),
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required = [] }) => required),
  };
}

/**
 * Turns zod schemas into components of the OpenAPI document. A schema that is sent and answered has two forms: a field with a default may
 * be left out of what is sent, and is always there in what is answered.
 */
import { Json } from '@bullpen/contracts';
import type { OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';

type JsonSchema = Record<string, unknown>;
type Form = 'input' | 'output';

export interface Converted {
  readonly schema: JsonSchema;
  readonly components: Record<string, JsonSchema>;
}

const SCHEMAS = '#/components/schemas/';

export class SchemaCatalogue {
  readonly #inlined: ReadonlySet<unknown>;

  /** Schemas in `inlined` are never made a component of their own. */
  constructor(inlined: ReadonlySet<unknown>) {
    this.#inlined = inlined;
  }

  /**
   * The OpenAPI form of a schema as it is sent (`input`) or answered (`output`); undefined for what is no zod schema. Components have
   * passing names, one for each form: `settleNames` gives them the lasting ones, once all are known.
   */
  convert(schema: unknown, form: Form): Converted | undefined {
    if (!(schema instanceof z.ZodType)) return undefined;
    const isInlined = this.#inlined.has(schema);
    const {
      $schema: _dialect,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, {
      io: form,
      unrepresentable: 'any',
      override: (node) => tidy(node, isInlined),
    }) as JsonSchema;
    const components = Object.fromEntries(
      Object.entries($defs as Record<string, JsonSchema>).map(([name, { id: _id, ...definition }]) => [
        `${name}.${form}`,
        withRefs(definition, (target) => definitionName(target, form)),
      ]),
    );
    const body = withRefs(root, (target) => definitionName(target, form));
    const own = isInlined && typeof body['$ref'] === 'string' ? body['$ref'].slice(SCHEMAS.length) : null;
    if (own === null) return { schema: body, components };
    const { [own]: inlined = {}, ...others } = components;
    return { schema: inlined, components: others };
  }

  /** The component of a named schema, as it is answered. */
  componentOf(schema: z.ZodType): Record<string, JsonSchema> {
    return this.convert(schema, 'output')?.components ?? {};
  }
}

/** `Name` for each schema; where the form that is sent differs from the one that is answered, that one is `NameInput`. */
export function settleNames(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas as Record<string, JsonSchema>;
  const split = namesWithTwoForms(schemas);
  const nameOf = (key: string): string => {
    const [name = key, form] = key.split('.');
    return form === 'input' && split.has(name) ? `${name}Input` : name;
  };
  const settled = Object.entries(schemas).map(([key, schema]) => [nameOf(key), schema]);
  return withRefs(
    { ...document, components: { ...document.components, schemas: Object.fromEntries(settled) } },
    (target) => SCHEMAS + nameOf(target.slice(SCHEMAS.length)),
  ) as unknown as OpenAPIObject;
}

/** Schemas whose forms differ in themselves, or in something that they refer to. */
function namesWithTwoForms(schemas: Readonly<Record<string, JsonSchema>>): ReadonlySet<string> {
  const names = Object.keys(schemas)
    .filter((key) => key.endsWith('.input') && key.replace(/input$/, 'output') in schemas)
    .map((key) => key.replace(/\.input$/, ''));
  const textOf = (key: string): string =>
    JSON.stringify(withRefs(schemas[key] ?? {}, (target) => target.replace(/\.(input|output)$/, '')));
  const split = new Set(names.filter((name) => textOf(`${name}.input`) !== textOf(`${name}.output`)));
  const refersToSplit = (name: string): boolean =>
    [...split].some((other) => textOf(`${name}.input`).includes(`"${SCHEMAS}${other}"`));
  for (let before = -1; before !== split.size;) {
    before = split.size;
    for (const name of names) if (refersToSplit(name)) split.add(name);
  }
  return split;
}

/**
 * What generators of clients stumble over is said in other words. They take a field with a `default` for one that is always there, so the
 * default is told in the description; parameters are spared that. A type that contains itself is refused by TypeScript where the
 * generator writes it as a property.
 */
function tidy(
  { zodSchema, jsonSchema, path }: { zodSchema: unknown; jsonSchema: JsonSchema; path: (string | number)[] },
  isInlined: boolean,
): void {
  if (zodSchema === Json) {
    for (const key of Object.keys(jsonSchema)) if (key !== 'id') delete jsonSchema[key];
    jsonSchema['description'] = 'Any JSON value.';
  }
  if (jsonSchema['format'] !== undefined) delete jsonSchema['pattern'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
  // At the root it says that the whole may be left out.
  if (isInlined || path.length === 0 || jsonSchema['default'] === undefined) return;
  const told = `Default: \`${JSON.stringify(jsonSchema['default'])}\`.`;
  jsonSchema['description'] = [jsonSchema['description'], told].filter(Boolean).join(' ');
  delete jsonSchema['default'];
}

function definitionName(target: string, form: Form): string {
  return target.replace(/^#\/\$defs\/(.+)$/, `${SCHEMAS}$1.${form}`);
}

function withRefs(value: object, rename: (target: string) => string): JsonSchema {
  return JSON.parse(JSON.stringify(value), (key, member: unknown) =>
    key === '$ref' && typeof member === 'string' ? rename(member) : member,
  ) as JsonSchema;
}

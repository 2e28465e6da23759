/** Turns zod schemas into components of the OpenAPI document: one for each named schema, shared by all that refer to it. */
import { z } from 'zod';

type JsonSchema = Record<string, unknown>;

export interface Converted {
  readonly schema: JsonSchema;
  readonly components: Record<string, JsonSchema>;
}

export class SchemaCatalogue {
  readonly #names = new Map<string, string>();
  readonly #inlined: ReadonlySet<unknown>;

  /** Schemas in `inlined` are never made a component of their own. */
  constructor(inlined: ReadonlySet<unknown>) {
    this.#inlined = inlined;
  }

  /** The OpenAPI form of a schema as it is sent (`input`) or answered (`output`); undefined for what is no zod schema. */
  convert(schema: unknown, io: 'input' | 'output'): Converted | undefined {
    if (!(schema instanceof z.ZodType)) return undefined;
    const {
      $schema: _dialect,
      $defs = {},
      ...root
    } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;
    const definitions = Object.entries($defs as Record<string, JsonSchema>).map(
      ([name, { id: _id, ...rest }]) => ({ name, rest }),
    );
    const renamed = new Map(definitions.map(({ name, rest }) => [name, this.#nameFor(name, rest, io)]));
    const components = Object.fromEntries(
      definitions.map(({ name, rest }) => [renamed.get(name) ?? name, withRefs(rest, renamed)]),
    );
    const body = withRefs(root, renamed);
    if (!this.#inlined.has(schema)) return { schema: body, components };
    const name = targetOf(body);
    if (name === null) return { schema: body, components };
    const { [name]: own = {}, ...others } = components;
    return { schema: own, components: others };
  }

  /** The component of a named schema, as it is answered. */
  componentOf(schema: z.ZodType): Record<string, JsonSchema> {
    return this.convert(schema, 'output')?.components ?? {};
  }

  /** Defaults make a schema differ between what is sent and what is answered: the second form met gets a name of its own. */
  #nameFor(name: string, definition: JsonSchema, io: 'input' | 'output'): string {
    const text = JSON.stringify(definition);
    for (const candidate of [name, io === 'input' ? `${name}Input` : `${name}Output`]) {
      const known = this.#names.get(candidate);
      if (known === undefined) this.#names.set(candidate, text);
      if (known === undefined || known === text) return candidate;
    }
    throw new Error(`Two different schemas have the id ${name}`);
  }
}

/** The component that a schema which is nothing but a reference names. */
function targetOf({ $ref }: JsonSchema): string | null {
  return typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? null) : null;
}

function withRefs(value: JsonSchema, renamed: ReadonlyMap<string, string>): JsonSchema {
  return JSON.parse(JSON.stringify(value), (key, member: unknown) => {
    const target =
      key === '$ref' && typeof member === 'string' ? /^#\/\$defs\/(.+)$/.exec(member)?.[1] : undefined;
    return target === undefined ? member : `#/components/schemas/${renamed.get(target) ?? target}`;
  }) as JsonSchema;
}

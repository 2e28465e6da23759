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
    const { $schema: _dialect, $defs = {}, id, ...root } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;
    const components: Record<string, JsonSchema> = {};
    const renamed = new Map<string, string>();
    for (const [name, { id: _id, ...definition }] of Object.entries($defs as Record<string, JsonSchema>))
      renamed.set(name, this.#nameFor(name, definition, io));
    for (const [name, { id: _id, ...definition }] of Object.entries($defs as Record<string, JsonSchema>))
      components[renamed.get(name) ?? name] = withRefs(definition, renamed);
    const body = withRefs(root, renamed);
    if (typeof id !== 'string' || this.#inlined.has(schema)) return { schema: body, components };
    const name = this.#nameFor(id, root, io);
    return { schema: { $ref: `#/components/schemas/${name}` }, components: { ...components, [name]: body } };
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

function withRefs(value: JsonSchema, renamed: ReadonlyMap<string, string>): JsonSchema {
  return JSON.parse(JSON.stringify(value), (key, member: unknown) => {
    const target = key === '$ref' && typeof member === 'string' ? /^#\/\$defs\/(.+)$/.exec(member)?.[1] : undefined;
    return target === undefined ? member : `#/components/schemas/${renamed.get(target) ?? target}`;
  }) as JsonSchema;
}

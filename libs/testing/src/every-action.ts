/** All next actions that there are, for specs of what tells them. */
import { NextAction } from '@bullpen/contracts';
import { z } from 'zod';

/** One of each, or one for each choice it has; parameters are `{name}`. Without `optional`, only with those that are always known. */
export function everyAction({ optional }: { optional: boolean }): NextAction[] {
  return NextAction.options.flatMap((schema) =>
    Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>)
      .filter(([, type]) => optional || !(type instanceof z.ZodOptional))
      .reduce<object[]>(
        (begun, [name, type]) =>
          begun.flatMap((action) => valuesOf(name, type).map((value) => ({ ...action, [name]: value }))),
        [{}],
      )
      .map((action) => NextAction.parse(action)),
  );
}

function valuesOf(name: string, type: z.ZodType): readonly unknown[] {
  if (type instanceof z.ZodLiteral) return [type.value];
  return type instanceof z.ZodEnum ? type.options : [`{${name}}`];
}

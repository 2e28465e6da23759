/** Functions of TypeScript and JavaScript, with and without names. */
import { inField, type Syntax } from '../facts/syntax.js';
import { typeOf } from './typescript-expressions.js';
import type { Visit } from './walk.js';

/** Reads the parameters of a function: names that are known in it, with their types. */
export function parameters(node: Syntax, visit: Visit): void {
  const list = inField(node, 'parameters') ?? inField(node, 'parameter');
  if (list?.type === 'identifier') visit.facts.local(visit.text(list), null);
  for (const one of list?.children ?? []) {
    const name = inField(one, 'pattern') ?? inField(one, 'left') ?? one;
    const type = typeOf(inField(one, 'type'), visit);
    for (const known of namesIn(name, visit))
      visit.facts.local(known, name.type === 'identifier' ? type : null);
    // A parameter of a constructor that is a field as well; `readonly` alone is no node of its own.
    if (/^(?:public|private|protected|override|readonly)\b/.test(visit.text(one)))
      visit.facts.field(visit.text(name), type, one);
    visit.read(inField(one, 'value') ?? inField(one, 'right'));
  }
}

/** The names that a pattern makes known. */
export function namesIn(pattern: Syntax, visit: Visit): readonly string[] {
  if (pattern.type === 'identifier' || pattern.type === 'shorthand_property_identifier_pattern')
    return [visit.text(pattern)];
  if (pattern.type === 'pair_pattern') return namesIn(inField(pattern, 'value') ?? pattern, visit);
  if (!/pattern$/.test(pattern.type)) return [];
  return pattern.children.flatMap((child) => namesIn(child, visit));
}

/** Whether `export` stands before a declaration. */
export const isExported = (node: Syntax, visit: Visit) =>
  /^\s*export\b/.test(
    visit.source.text
      .slice(Math.max(0, node.from - 60), node.from)
      .split(/[;{}\n]/)
      .at(-1) ?? '',
  );

/** A function without a name: what it calls, the function around it calls. */
export function aCallback(node: Syntax, visit: Visit): void {
  parameters(node, visit);
  visit.read(inField(node, 'body'));
}

/** Whether a value is a function. */
export function isFunction(
  node: Syntax | undefined,
): node is Syntax & { readonly type: 'arrow_function' | 'function_expression' | 'generator_function' } {
  return (
    node?.type === 'arrow_function' ||
    node?.type === 'function_expression' ||
    node?.type === 'generator_function'
  );
}

/** A function that is the value of a variable, a field or a property. */
export function defineFunction(
  name: string,
  node: Syntax,
  value: Syntax,
  visit: Visit,
  kind: 'function' | 'method' = 'function',
): void {
  visit.facts.define(
    {
      name,
      kind,
      node,
      type: typeOf(inField(value, 'return_type'), visit),
      isExported: isExported(node, visit),
    },
    () => aCallback(value, visit),
  );
}

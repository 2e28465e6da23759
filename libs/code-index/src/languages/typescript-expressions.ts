/** What expressions and types of TypeScript and JavaScript name. */
import type { Expr } from '../facts/facts.js';
import { inField, ofType, type Syntax } from '../facts/syntax.js';
import { dotted, objectOf, type Visit } from './walk.js';

/** What an expression can name. Brackets, `await`, casts and `!` change nothing about that. */
export function exprOf(node: Syntax | undefined, visit: Visit): Expr {
  if (node === undefined) return null;
  switch (node.type) {
    case 'identifier':
    case 'type_identifier':
    case 'shorthand_property_identifier':
      return ['name', visit.text(node)];
    case 'this':
      return ['self'];
    case 'super':
      return ['super'];
    case 'member_expression':
    case 'nested_identifier':
    case 'nested_type_identifier':
      return memberOf(node, visit);
    case 'call_expression':
      return requireOf(node, visit) ?? ['call', exprOf(inField(node, 'function'), visit)];
    case 'new_expression':
      return objectOf(exprOf(inField(node, 'constructor'), visit));
    case 'subscript_expression':
      return ['element', exprOf(inField(node, 'object'), visit)];
    case 'parenthesized_expression':
    case 'await_expression':
    case 'non_null_expression':
      return exprOf(node.children[0], visit);
    case 'as_expression':
    case 'satisfies_expression':
      return typeOf(node.children[1], visit) ?? exprOf(node.children[0], visit);
    default:
      return null;
  }
}

function memberOf(node: Syntax, visit: Visit): Expr {
  const [object, property] = node.children.filter(({ type }) => type !== 'optional_chain');
  return property === undefined
    ? null
    : ['member', exprOf(object, visit), visit.text(property).replace(/^#/, '')];
}

/** `require('./x')` is the module. */
export function requireOf(node: Syntax, visit: Visit): Expr {
  if (visit.text(inField(node, 'function')) !== 'require') return null;
  const from = stringIn(inField(node, 'arguments')?.children[0], visit);
  if (from === null) return null;
  const local = `require ${from}`;
  visit.facts.import(local, from, '*', node);
  return ['name', local];
}

/** The text of a plain string; null for anything else. */
export function stringIn(node: Syntax | undefined, visit: Visit): string | null {
  return node?.type === 'string' ? visit.text(node).slice(1, -1) : null;
}

/** What is held by something of a type; null for what no symbol stands for. A promise is what it promises. */
export function typeOf(node: Syntax | undefined, visit: Visit): Expr {
  switch (node?.type) {
    case 'type_annotation':
    case 'parenthesized_type':
    case 'readonly_type':
      return typeOf(node.children[0], visit);
    case 'type_identifier':
    case 'nested_type_identifier':
      return objectOf(exprOf(node, visit));
    case 'generic_type': {
      const name = visit.text(inField(node, 'name') ?? node.children[0]);
      const argument = ofType(node, 'type_arguments')?.children.at(-1);
      if (/^(?:Promise|PromiseLike|Awaited|Readonly|Partial|Required|NonNullable)$/.test(name))
        return typeOf(argument, visit);
      return objectOf(dotted(name));
    }
    case 'array_type':
      return objectOf(null);
    case 'union_type':
      return node.children.map((one) => typeOf(one, visit)).find((type) => type !== null) ?? null;
    default:
      return null;
  }
}

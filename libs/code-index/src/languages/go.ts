/** Go: a package is a folder, a method names the type that it is for, and a capital letter exports. */
import type { Expr } from '../facts/facts.js';
import { inField, ofType, type Syntax } from '../facts/syntax.js';
import { objectOf, type Handlers, type LanguageRules, type Visit } from './walk.js';

function exprOf(node: Syntax | undefined, visit: Visit): Expr {
  switch (node?.type) {
    case 'identifier':
    case 'type_identifier':
    case 'package_identifier':
      return ['name', visit.text(node)];
    case 'selector_expression':
      return ['member', exprOf(inField(node, 'operand'), visit), visit.text(inField(node, 'field'))];
    case 'qualified_type':
      return ['member', exprOf(inField(node, 'package'), visit), visit.text(inField(node, 'name'))];
    case 'call_expression':
      return callOf(node, visit);
    case 'unary_expression':
      return exprOf(inField(node, 'operand'), visit);
    case 'parenthesized_expression':
    case 'parenthesized_type':
      return exprOf(node.children[0], visit);
    case 'composite_literal':
    case 'type_assertion_expression':
    case 'type_conversion_expression':
      return typeOf(inField(node, 'type'), visit);
    case 'index_expression':
      return ['element', exprOf(inField(node, 'operand'), visit)];
    default:
      return null;
  }
}

/** `new(T)` gives a T; all other calls give what the function says. */
function callOf(node: Syntax, visit: Visit): Expr {
  const target = inField(node, 'function');
  if (visit.text(target) === 'new') return typeOf(inField(node, 'arguments')?.children[0], visit);
  return ['call', exprOf(target, visit)];
}

function typeOf(node: Syntax | undefined, visit: Visit): Expr {
  switch (node?.type) {
    case 'pointer_type':
    case 'parenthesized_type':
      return typeOf(node.children[0], visit);
    case 'identifier':
    case 'type_identifier':
    case 'qualified_type':
      return objectOf(exprOf(node, visit));
    case 'generic_type':
      return typeOf(inField(node, 'type'), visit);
    // Of several results, the first.
    case 'parameter_list':
      return typeOf(inField(node.children[0] ?? node, 'type') ?? node.children[0], visit);
    default:
      return null;
  }
}

const isExported = (name: string) => /^\p{Lu}/u.test(name);

function parameters(list: Syntax | undefined, visit: Visit): void {
  for (const one of list?.children ?? []) {
    const type = one.type === 'variadic_parameter_declaration' ? null : typeOf(inField(one, 'type'), visit);
    for (const name of one.children)
      if (name.type === 'identifier' && name.field === 'name') visit.facts.local(visit.text(name), type);
  }
}

function aFunction(node: Syntax, visit: Visit): void {
  const name = visit.text(inField(node, 'name'));
  const receiver = inField(node, 'receiver')?.children[0];
  const owner = receiver === undefined ? undefined : typeName(inField(receiver, 'type'), visit);
  const type = typeOf(inField(node, 'result'), visit);
  visit.facts.define(
    {
      name,
      kind: owner === undefined ? 'function' : 'method',
      node,
      type,
      owner,
      isExported: isExported(name),
    },
    () => {
      const self = receiver === undefined ? undefined : inField(receiver, 'name');
      if (self !== undefined) visit.facts.local(visit.text(self), ['self']);
      parameters(inField(node, 'parameters'), visit);
      visit.read(inField(node, 'body'));
    },
  );
}

/** The bare name of a receiver's type: `*List[T]` is `List`. */
function typeName(node: Syntax | undefined, visit: Visit): string {
  return /[\p{L}_][\p{L}\p{N}_]*/u.exec(visit.text(node))?.[0] ?? '';
}

function aType(node: Syntax, visit: Visit): void {
  const name = visit.text(inField(node, 'name'));
  const body = inField(node, 'type');
  const common = { name, node, isExported: isExported(name) };
  if (body?.type === 'interface_type')
    return visit.facts.define({ ...common, kind: 'interface', bases: embedded(body, visit) }, () =>
      visit.read(body),
    );
  if (body?.type === 'struct_type')
    return visit.facts.define({ ...common, kind: 'class', bases: embedded(body, visit) }, () =>
      visit.read(body),
    );
  visit.facts.define({ ...common, kind: 'type', type: typeOf(body, visit) });
}

/** Types that are named without a field: their methods are those of the type around. */
function embedded(body: Syntax, visit: Visit): Expr[] {
  const list = ofType(body, 'field_declaration_list') ?? body;
  return list.children
    .flatMap((one): Expr[] => {
      if (one.type === 'type_elem' || one.type === 'constraint_elem') return [exprOf(one.children[0], visit)];
      if (one.type !== 'field_declaration' || inField(one, 'name') !== undefined) return [];
      return [exprOf(inField(one, 'type'), visit)];
    })
    .filter((base) => base !== null);
}

function aField(node: Syntax, visit: Visit): void {
  const type = typeOf(inField(node, 'type'), visit);
  for (const name of node.children)
    if (name.field === 'name')
      visit.facts.define({
        name: visit.text(name),
        kind: 'variable',
        node: name,
        type,
        isExported: isExported(visit.text(name)),
      });
}

function aVariable(node: Syntax, visit: Visit): void {
  const type = typeOf(inField(node, 'type'), visit);
  const values = inField(node, 'value')?.children ?? [];
  const names = node.children.filter(({ field }) => field === 'name');
  names.forEach((name, at) =>
    known(
      visit.text(name),
      type ?? exprOf(values[values.length === names.length ? at : 0], visit),
      name,
      visit,
    ),
  );
  visit.read(inField(node, 'value'));
}

function known(name: string, held: Expr, node: Syntax, visit: Visit): void {
  if (visit.facts.current === null)
    visit.facts.define({ name, kind: 'variable', node, type: held, isExported: isExported(name) });
  else visit.facts.local(name, held);
}

/** `a, err := f()`: the first name holds the first result. */
function aShortVariable(node: Syntax, visit: Visit): void {
  const names = inField(node, 'left')?.children ?? [];
  const values = inField(node, 'right')?.children ?? [];
  names.forEach((name, at) => {
    const value = values.length === names.length ? values[at] : at === 0 ? values[0] : undefined;
    visit.facts.local(visit.text(name), exprOf(value, visit));
  });
  visit.read(inField(node, 'right'));
}

function anImport(node: Syntax, visit: Visit): void {
  const path = visit.text(inField(node, 'path')).slice(1, -1);
  const name = visit.text(inField(node, 'name'));
  // A last part like v2 is a version; the package is the part before it.
  const usual =
    path
      .replace(/\/v\d+$/, '')
      .split('/')
      .at(-1)
      ?.replace(/^go-|\.go$/, '') ?? path;
  visit.facts.import(name === '.' ? '*' : name || usual, path, '*', node);
}

function aCall(node: Syntax, visit: Visit): void {
  const target = inField(node, 'function');
  if (target?.type === 'index_expression' && inField(target, 'operand')?.type === 'identifier')
    visit.facts.blindSpot(node, `a call by computed name: ${visit.text(target).slice(0, 60)}`);
  if (/\.MethodByName$/.test(visit.text(target)))
    visit.facts.blindSpot(node, 'a method that is found by its name (MethodByName)');
  if (target?.type !== 'func_literal') visit.facts.call(exprOf(target, visit), node);
  visit.readInside(node);
}

const handlers: Handlers = {
  package_clause: (node, visit) => {
    visit.facts.package = visit.text(node.children[0]);
  },
  import_spec: anImport,
  function_declaration: aFunction,
  method_declaration: aFunction,
  func_literal: (node, visit) => {
    parameters(inField(node, 'parameters'), visit);
    visit.read(inField(node, 'body'));
  },
  type_spec: aType,
  type_alias: aType,
  field_declaration: aField,
  method_elem: (node, visit) =>
    visit.facts.define({
      name: visit.text(inField(node, 'name')),
      kind: 'method',
      node,
      type: typeOf(inField(node, 'result'), visit),
      isExported: true,
    }),
  var_spec: aVariable,
  const_spec: aVariable,
  short_var_declaration: aShortVariable,
  range_clause: (node, visit) => {
    for (const name of inField(node, 'left')?.children ?? []) visit.facts.local(visit.text(name), null);
    visit.read(inField(node, 'right'));
  },
  call_expression: aCall,
};

export const GO: LanguageRules = { handlers };

/** C and C++: a declaration in a header and a definition elsewhere, `Type::method` outside of its type, `static` hides in a file. */
import type { Expr } from '../facts/facts.js';
import { inField, ofType, type Syntax } from '../facts/syntax.js';
import { dotted, objectOf, type Handlers, type LanguageRules, type Visit } from './walk.js';

function exprOf(node: Syntax | undefined, visit: Visit): Expr {
  switch (node?.type) {
    case 'identifier':
    case 'type_identifier':
    case 'namespace_identifier':
    case 'field_identifier':
      return ['name', visit.text(node)];
    case 'this':
      return ['self'];
    case 'qualified_identifier':
    case 'scoped_identifier':
      return dotted(
        visit
          .text(node)
          .replaceAll(/<[^<>]*>/g, '')
          .replace(/^::/, ''),
        '::',
      );
    case 'template_type':
    case 'template_function':
      return exprOf(inField(node, 'name'), visit);
    case 'field_expression':
      return ['member', exprOf(inField(node, 'argument'), visit), visit.text(inField(node, 'field'))];
    case 'call_expression':
      return ['call', exprOf(inField(node, 'function'), visit)];
    case 'new_expression':
      return objectOf(exprOf(inField(node, 'type'), visit));
    case 'pointer_expression':
    case 'parenthesized_expression':
      return exprOf(inField(node, 'argument') ?? node.children[0], visit);
    case 'subscript_expression':
      return ['element', exprOf(inField(node, 'argument'), visit)];
    case 'cast_expression':
      return typeOf(inField(node, 'type'), visit);
    default:
      return null;
  }
}

/** Smart pointers answer for what they point to. */
function typeOf(node: Syntax | undefined, visit: Visit): Expr {
  switch (node?.type) {
    case 'type_descriptor':
      return typeOf(inField(node, 'type'), visit);
    case 'type_identifier':
    case 'struct_specifier':
    case 'class_specifier':
      return objectOf(exprOf(inField(node, 'name') ?? node, visit));
    case 'qualified_identifier':
    case 'template_type': {
      const pointed =
        /(?:unique_ptr|shared_ptr|weak_ptr|optional|reference_wrapper)\s*<\s*(?:const\s+)?([\w:]+)/.exec(
          visit.text(node),
        )?.[1];
      return objectOf(pointed === undefined ? exprOf(node, visit) : dotted(pointed, '::'));
    }
    default:
      return null;
  }
}

/** The declarator that names something, below pointers and references. */
function innermost(node: Syntax | undefined): Syntax | undefined {
  const next =
    node &&
    (inField(node, 'declarator') ??
      (node.type === 'reference_declarator' || node.type === 'parenthesized_declarator'
        ? node.children[0]
        : undefined));
  return next === undefined ? node : innermost(next);
}

function functionDeclarator(node: Syntax | undefined): Syntax | undefined {
  if (node === undefined || node.type === 'function_declarator') return node;
  return functionDeclarator(
    inField(node, 'declarator') ?? (node.type === 'reference_declarator' ? node.children[0] : undefined),
  );
}

const isStatic = (node: Syntax, visit: Visit) =>
  node.children.some((child) => child.type === 'storage_class_specifier' && visit.text(child) === 'static');

function aFunction(node: Syntax, visit: Visit): void {
  const declarator = functionDeclarator(inField(node, 'declarator'));
  if (declarator === undefined) return visit.readInside(node);
  const named = inField(declarator, 'declarator');
  const full = visit.text(named).replaceAll(/<[^<>]*>/g, '');
  const name = /[~\w]+$|operator\W+$/.exec(full)?.[0] ?? full;
  const owner = full.includes('::')
    ? full.slice(0, full.length - name.length - 2).replace(/^::/, '')
    : undefined;
  const inClass = visit.facts.around('class', 'function')?.kind === 'class';
  visit.facts.define(
    {
      name,
      kind: inClass || owner !== undefined ? 'method' : 'function',
      node,
      owner,
      type: typeOf(inField(node, 'type'), visit),
      isExported: inClass || !isStatic(node, visit),
      isDeclaration: inField(node, 'body') === undefined,
    },
    () => {
      for (const one of inField(declarator, 'parameters')?.children ?? []) aParameter(one, visit);
      visit.read(ofType(node, 'field_initializer_list'));
      visit.read(inField(node, 'body'));
    },
  );
}

function aParameter(node: Syntax, visit: Visit): void {
  const name = innermost(inField(node, 'declarator'));
  if (name?.type === 'identifier') visit.facts.local(visit.text(name), typeOf(inField(node, 'type'), visit));
}

/** A macro in front of a function makes the parser read its parameters as the name: `HOT_PATH U32 crc_step(U32 c)`. */
function aDeclaration(node: Syntax, visit: Visit): void {
  const type = inField(node, 'type');
  const declarators = node.children.filter(({ field }) => field === 'declarator');
  for (const one of declarators) {
    const called = functionDeclarator(one);
    if (called !== undefined && visit.facts.around('function', 'method') === null)
      aFunction(
        { ...node, children: node.children.filter((child) => child.field !== 'declarator' || child === one) },
        visit,
      );
    else aVariable(one, type, node, visit);
  }
  if (declarators.length === 0) visit.readInside(node);
  else
    visit.read(
      type?.type === 'struct_specifier' || type?.type === 'class_specifier' || type?.type === 'enum_specifier'
        ? type
        : undefined,
    );
}

function aVariable(declarator: Syntax, type: Syntax | undefined, node: Syntax, visit: Visit): void {
  const name = innermost(declarator);
  const value = inField(declarator, 'value');
  const held = typeOf(type, visit) ?? exprOf(value?.type === 'argument_list' ? undefined : value, visit);
  const text = visit.text(name);
  const around = visit.facts.around('class', 'function', 'method');
  if (around?.kind === 'function' || around?.kind === 'method') visit.facts.local(text, held);
  else
    visit.facts.define({
      name: text,
      kind: 'variable',
      node: declarator,
      type: held,
      isExported: !isStatic(node, visit),
    });
  visit.read(value);
}

function aType(kind: 'class' | 'enum') {
  return (node: Syntax, visit: Visit): void => {
    const body = inField(node, 'body');
    const name = visit.text(inField(node, 'name'));
    if (body === undefined) return;
    const bases = (ofType(node, 'base_class_clause')?.children ?? [])
      .map((one) => exprOf(one, visit))
      .filter((base) => base !== null);
    visit.facts.define({ name: name || '(anonymous)', kind, node, bases, isExported: true }, () =>
      visit.read(body),
    );
  };
}

const handlers: Handlers = {
  preproc_include: (node, visit) =>
    visit.facts.import('', visit.text(inField(node, 'path')).slice(1, -1), '*', node),
  namespace_definition: (node, visit) => {
    visit.facts.define(
      { name: visit.text(inField(node, 'name')) || '(anonymous)', kind: 'module', node, isExported: true },
      () => visit.read(inField(node, 'body')),
    );
  },
  function_definition: aFunction,
  declaration: aDeclaration,
  field_declaration: aDeclaration,
  class_specifier: aType('class'),
  struct_specifier: aType('class'),
  union_specifier: aType('class'),
  enum_specifier: aType('enum'),
  type_definition: (node, visit) => {
    visit.read(inField(node, 'type'));
    visit.facts.define({
      name: visit.text(innermost(inField(node, 'declarator'))),
      kind: 'type',
      node,
      isExported: true,
      type: typeOf(inField(node, 'type'), visit),
    });
  },
  alias_declaration: (node, visit) =>
    visit.facts.define({
      name: visit.text(inField(node, 'name')),
      kind: 'type',
      node,
      isExported: true,
      type: typeOf(inField(node, 'type'), visit),
    }),
  for_range_loop: (node, visit) => {
    visit.facts.local(
      visit.text(innermost(inField(node, 'declarator'))),
      typeOf(inField(node, 'type'), visit),
    );
    visit.readInside(node, 'declarator', 'type');
  },
  lambda_expression: (node, visit) => {
    for (const one of inField(inField(node, 'declarator') ?? node, 'parameters')?.children ?? [])
      aParameter(one, visit);
    visit.read(inField(node, 'body'));
  },
  call_expression: (node, visit) => {
    const target = inField(node, 'function');
    if (
      target?.type === 'subscript_expression' ||
      target?.type === 'pointer_expression' ||
      target?.type === 'parenthesized_expression'
    )
      visit.facts.blindSpot(node, `a call through a pointer: ${visit.text(target).slice(0, 60)}`);
    visit.facts.call(exprOf(target, visit), node);
    visit.readInside(node);
  },
  new_expression: (node, visit) => {
    visit.facts.call(exprOf(inField(node, 'type'), visit), node, true);
    visit.readInside(node, 'type');
  },
};

export const CPP: LanguageRules = { handlers };

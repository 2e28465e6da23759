/** Java: a file has its package, names of a class are known inside of it, and every declaration states its type. */
import type { Expr } from '../facts/facts.js';
import { inField, ofType, type Syntax } from '../facts/syntax.js';
import { dotted, objectOf, type Handlers, type LanguageRules, type Visit } from './walk.js';

function exprOf(node: Syntax | undefined, visit: Visit): Expr {
  switch (node?.type) {
    case 'identifier':
    case 'type_identifier':
      return ['name', visit.text(node)];
    case 'this':
      return ['self'];
    case 'super':
      return ['super'];
    case 'scoped_identifier':
    case 'scoped_type_identifier':
      return dotted(visit.text(node));
    case 'field_access':
      return ['member', exprOf(inField(node, 'object'), visit), visit.text(inField(node, 'field'))];
    case 'method_invocation':
      return ['call', calleeOf(node, visit)];
    case 'object_creation_expression':
    case 'cast_expression':
      return typeOf(inField(node, 'type'), visit);
    case 'array_access':
      return ['element', exprOf(inField(node, 'array'), visit)];
    case 'parenthesized_expression':
      return exprOf(node.children[0], visit);
    default:
      return null;
  }
}

function calleeOf(node: Syntax, visit: Visit): Expr {
  const name = visit.text(inField(node, 'name'));
  const object = inField(node, 'object');
  return object === undefined ? ['name', name] : ['member', exprOf(object, visit), name];
}

function typeOf(node: Syntax | undefined, visit: Visit): Expr {
  switch (node?.type) {
    case 'type_identifier':
    case 'scoped_type_identifier':
      return objectOf(exprOf(node, visit));
    case 'generic_type':
      return /^Optional\b|^CompletableFuture\b|^Future\b/.test(visit.text(node))
        ? typeOf(ofType(node, 'type_arguments')?.children[0], visit)
        : typeOf(node.children[0], visit);
    default:
      return null;
  }
}

/** The type itself, and not an object of it. */
function namedType(node: Syntax | undefined, visit: Visit): Expr {
  const held = typeOf(node, visit);
  return held?.[0] === 'object' ? held[1] : null;
}

const isExported = (node: Syntax, visit: Visit) => !/\bprivate\b/.test(visit.text(ofType(node, 'modifiers')));

function aType(kind: 'class' | 'interface' | 'enum') {
  return (node: Syntax, visit: Visit): void => {
    const parents = [
      inField(node, 'superclass'),
      inField(node, 'interfaces'),
      ofType(node, 'extends_interfaces'),
    ];
    const listed = parents
      .flatMap((parent) => parent?.children ?? [])
      .flatMap((one) => (one.type === 'type_list' ? one.children : [one]));
    const bases = listed.map((one) => namedType(one, visit)).filter((base) => base !== null);
    visit.facts.define(
      { name: visit.text(inField(node, 'name')), kind, node, bases, isExported: isExported(node, visit) },
      () => {
        for (const one of inField(node, 'parameters')?.children ?? []) aParameter(one, visit, true);
        visit.read(inField(node, 'body'));
      },
    );
  };
}

/** Of a record, parameters are fields. */
function aParameter(node: Syntax, visit: Visit, isField = false): void {
  const name = inField(node, 'name');
  if (name === undefined) return;
  const type = typeOf(inField(node, 'type'), visit);
  if (isField) visit.facts.define({ name: visit.text(name), kind: 'variable', node, type });
  else visit.facts.local(visit.text(name), type);
}

function aMethod(node: Syntax, visit: Visit): void {
  const type = typeOf(inField(node, 'type'), visit);
  visit.facts.define(
    {
      name: visit.text(inField(node, 'name')),
      kind: 'method',
      node,
      type,
      isExported: isExported(node, visit),
    },
    () => {
      for (const one of inField(node, 'parameters')?.children ?? []) aParameter(one, visit);
      visit.read(inField(node, 'body'));
    },
  );
}

function aVariable(node: Syntax, visit: Visit): void {
  const declared = inField(node, 'type');
  for (const one of node.children.filter(({ type }) => type === 'variable_declarator')) {
    const name = visit.text(inField(one, 'name'));
    const value = inField(one, 'value');
    const held =
      visit.text(declared) === 'var'
        ? exprOf(value, visit)
        : (typeOf(declared, visit) ?? exprOf(value, visit));
    if (node.type === 'field_declaration' || node.type === 'constant_declaration')
      visit.facts.define({
        name,
        kind: 'variable',
        node: one,
        type: held,
        isExported: isExported(node, visit),
      });
    else visit.facts.local(name, held);
    visit.read(value);
  }
}

function anImport(node: Syntax, visit: Visit): void {
  const path = visit.text(ofType(node, 'scoped_identifier', 'identifier'));
  if (ofType(node, 'asterisk')) return visit.facts.import('*', `${path}.*`, '*', node);
  const name = path.split('.').at(-1) ?? path;
  // A static import names a member of a class.
  const isStatic = /^import\s+static\b/.test(visit.text(node));
  visit.facts.import(name, isStatic ? path.slice(0, -name.length - 1) : path, name, node);
}

function aLambda(node: Syntax, visit: Visit): void {
  const list = inField(node, 'parameters');
  for (const one of list?.type === 'identifier' ? [list] : (list?.children ?? []))
    visit.facts.local(visit.text(inField(one, 'name') ?? one), typeOf(inField(one, 'type'), visit));
  visit.read(inField(node, 'body'));
}

const handlers: Handlers = {
  package_declaration: (node, visit) => {
    visit.facts.package = visit.text(node.children.at(-1));
  },
  import_declaration: anImport,
  class_declaration: aType('class'),
  record_declaration: aType('class'),
  interface_declaration: aType('interface'),
  annotation_type_declaration: aType('interface'),
  enum_declaration: aType('enum'),
  method_declaration: aMethod,
  constructor_declaration: aMethod,
  compact_constructor_declaration: aMethod,
  field_declaration: aVariable,
  constant_declaration: aVariable,
  local_variable_declaration: aVariable,
  resource: (node, visit) => {
    visit.facts.local(visit.text(inField(node, 'name')), typeOf(inField(node, 'type'), visit));
    visit.read(inField(node, 'value'));
  },
  enhanced_for_statement: (node, visit) => {
    visit.facts.local(visit.text(inField(node, 'name')), typeOf(inField(node, 'type'), visit));
    visit.readInside(node, 'name', 'type');
  },
  catch_formal_parameter: (node, visit) => visit.facts.local(visit.text(inField(node, 'name')), null),
  lambda_expression: aLambda,
  method_invocation: (node, visit) => {
    if (/\.(?:getMethod|getDeclaredMethod|forName)\(/.test(visit.text(node).slice(0, 200)))
      visit.facts.blindSpot(node, 'a method or class that is found by its name');
    visit.facts.call(calleeOf(node, visit), node);
    visit.readInside(node, 'name');
  },
  method_reference: (node, visit) => {
    const [object, name] = node.children;
    if (object !== undefined && name !== undefined)
      visit.facts.call(['member', exprOf(object, visit), visit.text(name)], node);
    visit.readInside(node);
  },
  object_creation_expression: (node, visit) => {
    visit.facts.call(namedType(inField(node, 'type'), visit), node, true);
    visit.readInside(node, 'type');
  },
  explicit_constructor_invocation: (node, visit) => {
    const target = inField(node, 'constructor');
    visit.facts.call(target?.type === 'super' ? ['super'] : ['self'], node, true);
    visit.readInside(node, 'constructor');
  },
};

export const JAVA: LanguageRules = { handlers };

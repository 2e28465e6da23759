/** TypeScript and JavaScript, with JSX: modules of ECMAScript and of CommonJS. */
import type { Expr } from '../facts/facts.js';
import { inField, ofType, type Syntax } from '../facts/syntax.js';
import { exprOf, requireOf, stringIn, typeOf } from './typescript-expressions.js';
import {
  aCallback,
  defineFunction,
  isExported,
  isFunction,
  namesIn,
  parameters,
} from './typescript-functions.js';
import { anExport, anImport, commonExports } from './typescript-modules.js';
import { dotted, type Handlers, type LanguageRules, type Visit } from './walk.js';

function aFunction(kind: 'function' | 'method') {
  return (node: Syntax, visit: Visit): void => {
    const name = inField(node, 'name');
    if (name?.type === 'computed_property_name')
      visit.facts.blindSpot(node, 'a method whose name is computed');
    const type = typeOf(inField(node, 'return_type'), visit);
    visit.facts.define(
      {
        name: visit.text(name).replace(/^#/, '') || 'default',
        kind,
        node,
        type,
        isExported: isExported(node, visit),
      },
      () => {
        parameters(node, visit);
        visit.read(inField(node, 'body'));
      },
    );
  };
}

function aClass(node: Syntax, visit: Visit): void {
  const name = visit.text(inField(node, 'name')) || 'default';
  const heritage = ofType(node, 'class_heritage');
  const clauses = heritage?.children ?? [];
  const bases = clauses.flatMap((clause) =>
    /clause$/.test(clause.type)
      ? clause.children.filter(({ type }) => type !== 'type_arguments').map((base) => baseOf(base, visit))
      : [exprOf(clause, visit)],
  );
  visit.facts.define(
    {
      name,
      kind: 'class',
      node,
      bases: bases.filter((base) => base !== null),
      isExported: isExported(node, visit),
    },
    () => visit.read(inField(node, 'body')),
  );
  if (heritage !== undefined) visit.read(heritage);
}

function baseOf(node: Syntax, visit: Visit): Expr {
  return node.type === 'generic_type'
    ? dotted(visit.text(inField(node, 'name') ?? node.children[0]))
    : exprOf(node, visit);
}

function anInterface(node: Syntax, visit: Visit): void {
  const bases = (ofType(node, 'extends_type_clause', 'extends_clause')?.children ?? []).map((base) =>
    baseOf(base, visit),
  );
  visit.facts.define(
    {
      name: visit.text(inField(node, 'name')),
      kind: 'interface',
      node,
      bases: bases.filter((base) => base !== null),
      isExported: isExported(node, visit),
    },
    () => visit.read(inField(node, 'body')),
  );
}

function aField(node: Syntax, visit: Visit): void {
  const name = inField(node, 'name') ?? inField(node, 'property');
  const value = inField(node, 'value');
  if (isFunction(value)) return defineFunction(visit.text(name), node, value, visit, 'method');
  const type = typeOf(inField(node, 'type'), visit) ?? exprOf(value, visit);
  visit.facts.define({ name: visit.text(name).replace(/^#/, ''), kind: 'variable', node, type });
  visit.read(value);
}

function aVariable(node: Syntax, visit: Visit): void {
  const name = inField(node, 'name');
  const value = inField(node, 'value');
  if (name === undefined) return;
  if (name.type !== 'identifier') return destructured(name, value, visit);
  const text = visit.text(name);
  if (isFunction(value)) return defineFunction(text, node, value, visit);
  const held = typeOf(inField(node, 'type'), visit) ?? exprOf(value, visit);
  const isObject = value?.type === 'object';
  if (visit.facts.around('function', 'method') !== null && !isObject) visit.facts.local(text, held);
  else
    return visit.facts.define(
      {
        name: text,
        kind: 'variable',
        node,
        type: held,
        isExported: isExported(parentStart(node, visit), visit),
      },
      () => visit.read(value),
    );
  visit.read(value);
}

/** `export` stands before the `const` that a variable belongs to. */
function parentStart(node: Syntax, visit: Visit): Syntax {
  const line = visit.source.text.lastIndexOf('\n', node.from) + 1;
  const declares = /^\s*export\s+(?:declare\s+)?(?:const|let|var)\b/.exec(
    visit.source.text.slice(line, node.from),
  );
  return declares === null ? node : { ...node, from: line + declares[0].length - 1 };
}

/** `const { a, b: c } = x` knows `a` and `c` as members of `x`. */
function destructured(pattern: Syntax, value: Syntax | undefined, visit: Visit): void {
  const whole = exprOf(value, visit);
  for (const part of pattern.children) {
    const [key, target] =
      part.type === 'pair_pattern' ? [inField(part, 'key'), inField(part, 'value')] : [part, part];
    if (target === undefined) continue;
    const held: Expr =
      pattern.type === 'object_pattern' && namesIn(target, visit).length === 1
        ? ['member', whole, visit.text(key)]
        : null;
    for (const name of namesIn(target, visit)) {
      if (visit.facts.current === null)
        visit.facts.define({ name, kind: 'variable', node: target, type: held });
      else visit.facts.local(name, held);
    }
  }
  visit.read(value);
}

/** A method or a function in an object: a member of the variable that holds the object. */
function aPair(node: Syntax, visit: Visit): void {
  const value = inField(node, 'value');
  if (isFunction(value))
    return defineFunction(
      visit.text(inField(node, 'key')).replaceAll(/^['"]|['"]$/g, ''),
      node,
      value,
      visit,
      'method',
    );
  visit.read(value);
}

function aCall(node: Syntax, visit: Visit): void {
  const target = inField(node, 'function');
  const name = visit.text(target);
  if (target?.type === 'subscript_expression')
    visit.facts.blindSpot(node, `a call by computed name: ${name.slice(0, 60)}`);
  else if (name === 'eval' || name === 'Function') visit.facts.blindSpot(node, `${name} runs text as code`);
  else if (target?.type === 'import') dynamicImport(node, visit);
  else if (name === 'super') visit.facts.call(['super'], node, true);
  else if (requireOf(node, visit) === null) visit.facts.call(exprOf(target, visit), node);
  visit.readInside(node);
}

function dynamicImport(node: Syntax, visit: Visit): void {
  const from = stringIn(inField(node, 'arguments')?.children[0], visit);
  if (from === null) visit.facts.blindSpot(node, 'an import of a computed name');
  else visit.facts.import('', from, '*', node);
}

/** `module.exports = …`, `exports.a = …`, `this.x = new X()` say what others see, or what a field holds. */
function anAssignment(node: Syntax, visit: Visit): void {
  const target = inField(node, 'left');
  const value = inField(node, 'right');
  const place = visit.text(target);
  const field = /^(?:module\.)?exports\.(\w+)$/.exec(place)?.[1];
  if (place === 'module.exports') commonExports(value, visit);
  else if (field !== undefined) {
    if (isFunction(value)) defineFunction(field, node, value, visit);
    visit.facts.export(field, value?.type === 'identifier' ? visit.text(value) : field);
    if (isFunction(value)) return;
  } else if (/^this\.#?\w+$/.test(place))
    visit.facts.field(place.replace(/^this\.#?/, ''), exprOf(value, visit), node);
  visit.readInside(node);
}

/** `<Card />` makes a Card. Names in lower case are elements of the page. */
function anElement(node: Syntax, visit: Visit): void {
  const name = inField(node, 'name');
  if (name !== undefined && /^[A-Z]|\./.test(visit.text(name)))
    visit.facts.call(exprOf(name, visit) ?? dotted(visit.text(name)), node);
  visit.readInside(node, 'name');
}

const handlers: Handlers = {
  import_statement: anImport,
  export_statement: anExport,
  function_declaration: aFunction('function'),
  generator_function_declaration: aFunction('function'),
  function_signature: aFunction('function'),
  method_definition: aFunction('method'),
  method_signature: aFunction('method'),
  abstract_method_signature: aFunction('method'),
  arrow_function: aCallback,
  function_expression: aCallback,
  class_declaration: aClass,
  abstract_class_declaration: aClass,
  class: aClass,
  interface_declaration: anInterface,
  type_alias_declaration: (node, visit) =>
    visit.facts.define(
      {
        name: visit.text(inField(node, 'name')),
        kind: 'type',
        node,
        isExported: isExported(node, visit),
        type: typeOf(inField(node, 'value'), visit),
      },
      () => visit.read(inField(node, 'value')),
    ),
  enum_declaration: (node, visit) =>
    visit.facts.define({
      name: visit.text(inField(node, 'name')),
      kind: 'enum',
      node,
      isExported: isExported(node, visit),
    }),
  internal_module: (node, visit) =>
    visit.facts.define(
      { name: visit.text(inField(node, 'name')), kind: 'module', node, isExported: isExported(node, visit) },
      () => visit.read(inField(node, 'body')),
    ),
  public_field_definition: aField,
  field_definition: aField,
  property_signature: (node, visit) =>
    visit.facts.define({
      name: visit.text(inField(node, 'name')),
      kind: 'variable',
      node,
      type: typeOf(inField(node, 'type'), visit),
    }),
  variable_declarator: aVariable,
  pair: aPair,
  call_expression: aCall,
  new_expression: (node, visit) => {
    visit.facts.call(exprOf(inField(node, 'constructor'), visit), node, true);
    visit.readInside(node);
  },
  assignment_expression: anAssignment,
  jsx_opening_element: anElement,
  jsx_self_closing_element: anElement,
};

export const TYPESCRIPT: LanguageRules = { handlers };

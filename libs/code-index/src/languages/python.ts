/** Python: names of a module can be had from outside, `self.x` makes fields, types are where they are annotated. */
import type { Expr } from '../facts/facts.js';
import { inField, ofType, type Syntax } from '../facts/syntax.js';
import { dotted, objectOf, type Handlers, type LanguageRules, type Visit } from './walk.js';

function exprOf(node: Syntax | undefined, visit: Visit): Expr {
  switch (node?.type) {
    case 'identifier': {
      const name = visit.text(node);
      return isReceiver(name, visit) ? ['self'] : ['name', name];
    }
    case 'attribute':
      // `self.__class__` is called and read as the receiver is.
      if (visit.text(inField(node, 'attribute')) === '__class__')
        return exprOf(inField(node, 'object'), visit);
      return ['member', exprOf(inField(node, 'object'), visit), visit.text(inField(node, 'attribute'))];
    case 'call':
      return visit.text(inField(node, 'function')) === 'super'
        ? ['super']
        : ['call', exprOf(inField(node, 'function'), visit)];
    case 'subscript':
      return ['element', exprOf(inField(node, 'value'), visit)];
    case 'await':
    case 'parenthesized_expression':
      return exprOf(node.children[0], visit);
    case 'conditional_expression':
    case 'boolean_operator':
      return exprOf(node.children[0], visit);
    case 'named_expression':
      return exprOf(inField(node, 'value'), visit);
    default:
      return null;
  }
}

/** The first parameter of a method is its object, however it is called. */
function isReceiver(name: string, visit: Visit): boolean {
  return (name === 'self' || name === 'cls') && visit.facts.around('class') !== null;
}

/** What is held by something that is annotated so: `X`, `'X'`, `Optional[X]`, `X | None`. */
function typeOf(node: Syntax | undefined, visit: Visit): Expr {
  switch (node?.type) {
    case 'type':
      return typeOf(node.children[0], visit);
    case 'identifier':
    case 'attribute':
      return objectOf(exprOf(node, visit));
    case 'string':
      return objectOf(dotted(visit.text(node).replaceAll(/^['"]+|['"]+$/g, '')));
    case 'binary_operator':
    case 'union_type':
      return node.children.map((one) => typeOf(one, visit)).find((type) => type !== null) ?? null;
    case 'generic_type':
    case 'subscript': {
      const name = visit.text(node.children[0]);
      const inner = ofType(node, 'type_parameter') ?? node;
      if (/(?:^|\.)(?:Optional|Annotated|Awaitable|Final|ClassVar|Union)$/.test(name))
        return typeOf(
          inner.children.find((one) => one !== node.children[0]),
          visit,
        );
      return /^(?:list|dict|set|tuple|List|Dict|Set|Tuple|Iterable|Sequence)$/.test(name)
        ? null
        : objectOf(dotted(name));
    }
    default:
      return null;
  }
}

function parameters(node: Syntax, visit: Visit): void {
  for (const one of inField(node, 'parameters')?.children ?? []) {
    const name = inField(one, 'name') ?? (one.type === 'identifier' ? one : ofType(one, 'identifier'));
    const text = visit.text(name);
    if (name !== undefined && !isReceiver(text, visit))
      visit.facts.local(text, typeOf(inField(one, 'type'), visit));
    visit.read(inField(one, 'value'));
  }
}

function aFunction(node: Syntax, visit: Visit): void {
  const name = visit.text(inField(node, 'name'));
  const kind = visit.facts.around('class', 'function', 'method')?.kind === 'class' ? 'method' : 'function';
  const type = typeOf(inField(node, 'return_type'), visit);
  visit.facts.define({ name, kind, node, type, isExported: !name.startsWith('_') }, () => {
    parameters(node, visit);
    visit.read(inField(node, 'body'));
  });
}

function aClass(node: Syntax, visit: Visit): void {
  const name = visit.text(inField(node, 'name'));
  const listed = inField(node, 'superclasses');
  const bases = (listed?.children ?? [])
    .filter(({ type }) => type !== 'keyword_argument')
    .map((base) => exprOf(base.type === 'subscript' ? base.children[0] : base, visit));
  if (listed !== undefined) visit.read(listed);
  visit.facts.define(
    {
      name,
      kind: 'class',
      node,
      bases: bases.filter((base) => base !== null),
      isExported: !name.startsWith('_'),
    },
    () => visit.read(inField(node, 'body')),
  );
}

function anAssignment(node: Syntax, visit: Visit): void {
  const left = inField(node, 'left');
  const right = inField(node, 'right');
  const held = typeOf(inField(node, 'type'), visit) ?? exprOf(right, visit);
  if (left?.type === 'identifier') known(visit.text(left), held, node, visit);
  else if (left?.type === 'attribute' && isSelf(inField(left, 'object'), visit))
    visit.facts.field(visit.text(inField(left, 'attribute')), heldAtMethod(held, visit), left);
  else
    for (const name of left?.children ?? [])
      if (name.type === 'identifier') known(visit.text(name), null, node, visit);
  visit.read(right);
}

/** A parameter that goes into a field brings its type along, since the field is read where the parameter is not known. */
function heldAtMethod(held: Expr, visit: Visit): Expr {
  if (held?.[0] !== 'name') return held;
  return visit.facts.around('method', 'function')?.locals[held[1]] ?? held;
}

function known(name: string, held: Expr, node: Syntax, visit: Visit): void {
  const around = visit.facts.around('class', 'function', 'method')?.kind;
  if (around === 'function' || around === 'method') visit.facts.local(name, held);
  else visit.facts.define({ name, kind: 'variable', node, type: held, isExported: !name.startsWith('_') });
}

function isSelf(node: Syntax | undefined, visit: Visit): boolean {
  return node?.type === 'identifier' && isReceiver(visit.text(node), visit);
}

function anImport(node: Syntax, visit: Visit): void {
  for (const one of node.children) {
    const path = visit.text(inField(one, 'name') ?? one);
    const alias = inField(one, 'alias');
    if (alias !== undefined) visit.facts.import(visit.text(alias), path, '*', node);
    // `import a.b` knows `a`; `a.b` is found as its member.
    else visit.facts.import(path.split('.')[0] ?? path, path.split('.')[0] ?? path, '*', node);
    if (path.includes('.')) visit.facts.import('', path, '*', node);
  }
}

function anImportFrom(node: Syntax, visit: Visit): void {
  const from = visit.text(inField(node, 'module_name'));
  if (ofType(node, 'wildcard_import')) visit.facts.import('*', from, '*', node);
  for (const one of node.children.filter(({ field }) => field === 'name')) {
    const name = visit.text(inField(one, 'name') ?? one);
    const local = visit.text(inField(one, 'alias')) || name;
    visit.facts.import(local, from, name, node);
  }
}

function aCall(node: Syntax, visit: Visit): void {
  const target = inField(node, 'function');
  const name = visit.text(target);
  if (target?.type === 'call' && visit.text(inField(target, 'function')) === 'getattr')
    visit.facts.blindSpot(node, 'a method that is found by its name (getattr)');
  else if (target?.type === 'subscript')
    visit.facts.blindSpot(node, `a call by computed name: ${name.slice(0, 60)}`);
  else if (/^(?:eval|exec|__import__|importlib\.import_module)$/.test(name))
    visit.facts.blindSpot(node, `${name} runs what is a text until then`);
  else if (target?.type === 'attribute' && visit.text(inField(target, 'object')).startsWith('super('))
    visit.facts.call(['member', ['super'], visit.text(inField(target, 'attribute'))], node);
  else if (name !== 'super') visit.facts.call(exprOf(target, visit), node);
  visit.readInside(node);
}

function aLoop(node: Syntax, visit: Visit): void {
  const left = inField(node, 'left');
  for (const name of left?.type === 'identifier' ? [left] : (left?.children ?? []))
    if (name.type === 'identifier') known(visit.text(name), null, node, visit);
  visit.readInside(node, 'left');
}

/** `with open() as f`, `except E as e`. */
function anAlias(node: Syntax, visit: Visit): void {
  const [value] = node.children;
  const target = inField(node, 'alias')?.children[0] ?? inField(node, 'alias');
  if (target?.type === 'identifier') known(visit.text(target), exprOf(value, visit), node, visit);
  visit.read(value);
}

const handlers: Handlers = {
  import_statement: anImport,
  import_from_statement: anImportFrom,
  function_definition: aFunction,
  class_definition: aClass,
  assignment: anAssignment,
  call: aCall,
  for_statement: aLoop,
  for_in_clause: aLoop,
  as_pattern: anAlias,
};

export const PYTHON: LanguageRules = { handlers };

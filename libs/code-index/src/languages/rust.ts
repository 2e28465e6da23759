/** Rust: methods stand in `impl` blocks, modules are files or blocks, `use` brings names in. */
import type { Expr } from '../facts/facts.js';
import { inField, ofType, type Syntax } from '../facts/syntax.js';
import { objectOf, type Handlers, type LanguageRules, type Visit } from './walk.js';

function exprOf(node: Syntax | undefined, visit: Visit): Expr {
  switch (node?.type) {
    case 'identifier':
    case 'type_identifier':
    case 'field_identifier': {
      const name = visit.text(node);
      return name === 'Self' ? selfType(visit) : ['name', name];
    }
    case 'self':
      return ['self'];
    case 'scoped_identifier':
    case 'scoped_type_identifier':
      return scopedOf(node, visit);
    case 'field_expression':
      return ['member', exprOf(inField(node, 'value'), visit), visit.text(inField(node, 'field'))];
    case 'call_expression':
      return ['call', exprOf(inField(node, 'function'), visit)];
    case 'struct_expression':
      return objectOf(exprOf(inField(node, 'name'), visit));
    case 'generic_function':
      return exprOf(inField(node, 'function'), visit);
    case 'reference_expression':
    case 'unary_expression':
    case 'parenthesized_expression':
    case 'try_expression':
    case 'await_expression':
      return exprOf(
        inField(node, 'value') ?? node.children.find(({ type }) => type !== 'mutable_specifier'),
        visit,
      );
    case 'type_cast_expression':
      return typeOf(inField(node, 'type'), visit);
    default:
      return null;
  }
}

/** The type that an `impl` block is for. */
function selfType(visit: Visit): Expr {
  const owner = visit.facts.around('method')?.owner;
  return owner === undefined ? null : ['name', owner];
}

/** `Self::new`, `Type::new`, `module::f`. What a path begins with is a name of this file, or of the crate. */
function scopedOf(node: Syntax, visit: Visit): Expr {
  const path = inField(node, 'path');
  const name = visit.text(inField(node, 'name'));
  const whole = visit.text(node).replaceAll(/::<[^>]*>/g, '');
  if (/^(?:crate|super|self)::/.test(whole)) {
    const local = `use ${whole}`;
    const parts = whole.split('::');
    visit.facts.import(local, parts.slice(0, -1).join('::'), name, node);
    return ['name', local];
  }
  if (path?.type === 'generic_type') return ['member', exprOf(inField(path, 'type'), visit), name];
  return path === undefined ? ['name', name] : ['member', exprOf(path, visit), name];
}

function typeOf(node: Syntax | undefined, visit: Visit): Expr {
  switch (node?.type) {
    case 'reference_type':
    case 'pointer_type':
    case 'dynamic_type':
    case 'abstract_type':
      return typeOf(inField(node, 'type') ?? inField(node, 'trait') ?? node.children.at(-1), visit);
    case 'type_identifier':
    case 'scoped_type_identifier':
      return objectOf(exprOf(node, visit));
    case 'generic_type': {
      const name = visit.text(inField(node, 'type'));
      // What they hold answers for them.
      if (/^(?:Box|Rc|Arc|RefCell|Mutex|RwLock|Option|Result|Ref|RefMut|Pin|Cow)$/.test(name))
        return typeOf(
          inField(node, 'type_arguments')?.children.find(({ type }) => type !== 'lifetime'),
          visit,
        );
      return objectOf(exprOf(inField(node, 'type'), visit));
    }
    default:
      return null;
  }
}

const isExported = (node: Syntax) => ofType(node, 'visibility_modifier') !== undefined;

function aFunction(owner: string | undefined) {
  return (node: Syntax, visit: Visit): void => {
    const name = visit.text(inField(node, 'name'));
    const container = visit.facts.around('interface', 'function', 'method');
    const isMember = owner !== undefined || container?.kind === 'interface';
    visit.facts.define(
      {
        name,
        kind: isMember ? 'method' : 'function',
        node,
        owner,
        type: null,
        isExported: isExported(node) || container?.kind === 'interface',
      },
      () => {
        for (const one of inField(node, 'parameters')?.children ?? []) {
          const pattern = inField(one, 'pattern');
          if (pattern !== undefined)
            visit.facts.local(
              visit.text(pattern).replace(/^mut\s+/, ''),
              typeOf(inField(one, 'type'), visit),
            );
        }
        visit.facts.gives(typeOf(inField(node, 'return_type'), visit));
        visit.read(inField(node, 'body'));
      },
    );
  };
}

/** The functions of an `impl` block are methods of its type; a trait that it names is above that type. */
function anImpl(node: Syntax, visit: Visit): void {
  const type = inField(node, 'type');
  const owner = visit.text(type?.type === 'generic_type' ? inField(type, 'type') : type);
  const trait = inField(node, 'trait');
  if (trait !== undefined)
    visit.facts.base(owner, exprOf(trait.type === 'generic_type' ? inField(trait, 'type') : trait, visit));
  for (const one of inField(node, 'body')?.children ?? []) {
    if (one.type === 'function_item') aFunction(owner)(one, visit);
    else visit.read(one);
  }
}

function aType(kind: 'class' | 'interface' | 'enum') {
  return (node: Syntax, visit: Visit): void =>
    visit.facts.define(
      { name: visit.text(inField(node, 'name')), kind, node, isExported: isExported(node) },
      () => visit.read(inField(node, 'body')),
    );
}

/** A field, a constant, a static: something of a stated type. */
function aValue(node: Syntax, visit: Visit): void {
  const type = typeOf(inField(node, 'type'), visit);
  visit.facts.define(
    { name: visit.text(inField(node, 'name')), kind: 'variable', node, isExported: isExported(node), type },
    () => visit.read(inField(node, 'value')),
  );
}

function aLet(node: Syntax, visit: Visit): void {
  const pattern = inField(node, 'pattern');
  const value = inField(node, 'value');
  const held = typeOf(inField(node, 'type'), visit) ?? exprOf(value, visit);
  if (pattern?.type === 'identifier' || pattern?.type === 'mut_pattern')
    visit.facts.local(visit.text(pattern).replace(/^mut\s+/, ''), held);
  visit.readInside(node, 'pattern', 'type');
}

function aUse(node: Syntax, visit: Visit): void {
  used(inField(node, 'argument'), '', node, visit);
}

/** `a::{b, c as d, e::*}`, taken apart. */
function used(node: Syntax | undefined, prefix: string, top: Syntax, visit: Visit): void {
  if (node === undefined) return;
  const join = (name: string) => (prefix === '' ? name : `${prefix}::${name}`);
  switch (node.type) {
    case 'use_list':
      for (const one of node.children) used(one, prefix, top, visit);
      return;
    case 'scoped_use_list':
      return used(inField(node, 'list'), join(visit.text(inField(node, 'path'))), top, visit);
    case 'use_wildcard':
      return visit.facts.import('*', join(visit.text(node.children[0])), '*', top);
    case 'use_as_clause':
      return bring(join(visit.text(inField(node, 'path'))), visit.text(inField(node, 'alias')), top, visit);
    default: {
      const path = join(visit.text(node));
      return bring(path, path.split('::').at(-1) ?? path, top, visit);
    }
  }
}

/** A path may name a module as well as something in one; both are tried when it is looked up. */
function bring(path: string, local: string, top: Syntax, visit: Visit): void {
  const parts = path.split('::');
  const name = parts.pop() ?? path;
  if (name === 'self') return visit.facts.import(parts.at(-1) ?? local, parts.join('::'), '*', top);
  visit.facts.import(local, parts.join('::') || 'self', name, top);
  visit.facts.import(local, path, '*', top);
}

const handlers: Handlers = {
  use_declaration: aUse,
  mod_item: (node, visit) => {
    const name = visit.text(inField(node, 'name'));
    if (inField(node, 'body') === undefined) return visit.facts.import(name, `self::${name}`, '*', node);
    visit.facts.define({ name, kind: 'module', node, isExported: isExported(node) }, () =>
      visit.read(inField(node, 'body')),
    );
  },
  function_item: aFunction(undefined),
  function_signature_item: aFunction(undefined),
  impl_item: anImpl,
  struct_item: aType('class'),
  union_item: aType('class'),
  enum_item: aType('enum'),
  trait_item: aType('interface'),
  type_item: (node, visit) =>
    visit.facts.define({
      name: visit.text(inField(node, 'name')),
      kind: 'type',
      node,
      isExported: isExported(node),
      type: typeOf(inField(node, 'type'), visit),
    }),
  field_declaration: aValue,
  const_item: aValue,
  static_item: aValue,
  let_declaration: aLet,
  closure_expression: (node, visit) => {
    for (const one of inField(node, 'parameters')?.children ?? [])
      visit.facts.local(visit.text(inField(one, 'pattern') ?? one), typeOf(inField(one, 'type'), visit));
    visit.read(inField(node, 'body'));
  },
  call_expression: (node, visit) => {
    visit.facts.call(exprOf(inField(node, 'function'), visit), node);
    visit.readInside(node);
  },
  macro_invocation: (node, visit) =>
    visit.facts.blindSpot(node, `calls in a macro (${visit.text(inField(node, 'macro'))}!) are not followed`),
};

export const RUST: LanguageRules = { handlers };

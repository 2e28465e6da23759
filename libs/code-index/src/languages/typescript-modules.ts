/** What modules of TypeScript and JavaScript take in and give out. */
import { inField, ofType, type Syntax } from '../facts/syntax.js';
import { stringIn } from './typescript-expressions.js';
import { defineFunction, isFunction } from './typescript-functions.js';
import type { Visit } from './walk.js';

/** Reads an import. */
export function anImport(node: Syntax, visit: Visit): void {
  const from = stringIn(inField(node, 'source'), visit);
  if (from === null) return;
  const clause = ofType(node, 'import_clause');
  for (const part of clause?.children ?? []) {
    if (part.type === 'identifier') visit.facts.import(visit.text(part), from, 'default', node);
    if (part.type === 'namespace_import') visit.facts.import(visit.text(part.children[0]), from, '*', node);
    for (const one of part.type === 'named_imports' ? part.children : []) {
      const name = visit.text(inField(one, 'name'));
      visit.facts.import(visit.text(inField(one, 'alias')) || name, from, name, node);
    }
  }
  if (clause === undefined) visit.facts.import('', from, '*', node);
}

/** Reads an export, with what it declares. */
export function anExport(node: Syntax, visit: Visit): void {
  const from = stringIn(inField(node, 'source'), visit);
  const isDefault = /^export\s+default\b/.test(visit.text(node));
  visit.readInside(node, 'source');
  const namespace = ofType(node, 'namespace_export');
  if (namespace !== undefined && from !== null)
    visit.facts.export(visit.text(namespace.children[0]), '*', from);
  else if (from !== null && ofType(node, 'export_clause') === undefined) visit.facts.export('*', '*', from);
  for (const one of ofType(node, 'export_clause')?.children ?? []) {
    const name = visit.text(inField(one, 'name'));
    visit.facts.export(visit.text(inField(one, 'alias')) || name, name, from);
  }
  const declared = inField(node, 'declaration');
  const value = inField(node, 'value');
  if (isDefault)
    visit.facts.export(
      'default',
      visit.text(declared && inField(declared, 'name')) ||
        (value?.type === 'identifier' ? visit.text(value) : 'default'),
    );
  if (isDefault && isFunction(value)) defineFunction('default', node, value, visit);
}

/** Reads what `module.exports` is set to. */
export function commonExports(value: Syntax | undefined, visit: Visit): void {
  if (value?.type === 'identifier') visit.facts.export('default', visit.text(value));
  for (const one of value?.type === 'object' ? value.children : []) {
    if (one.type === 'shorthand_property_identifier') visit.facts.export(visit.text(one), visit.text(one));
    const held = inField(one, 'value');
    if (one.type === 'pair' && held?.type === 'identifier')
      visit.facts.export(visit.text(inField(one, 'key')), visit.text(held));
  }
}

/** Walks a tree with a handler for each type of node that says something; all others are only passed through. */
import type { Expr } from '../facts/facts.js';
import { FactsBuilder } from '../facts/facts-builder.js';
import type { Source, Syntax } from '../facts/syntax.js';
import type { FileFacts } from '../facts/facts.js';

export interface Visit {
  readonly facts: FactsBuilder;
  readonly source: Source;
  /** The text of a node; '' without one. */
  text(node: Syntax | undefined): string;
  /** Reads a node with its handler. */
  read(node: Syntax | undefined): void;
  /** Reads what is in a node, but for some roles. */
  readInside(node: Syntax, ...except: readonly string[]): void;
}

export type Handlers = Readonly<Record<string, (node: Syntax, visit: Visit) => void>>;

/** A language: what its nodes say. */
export interface LanguageRules {
  readonly handlers: Handlers;
}

/** The facts of a parsed file, by the rules of its language. */
export function readFacts(source: Source, { handlers }: LanguageRules): FileFacts {
  const facts = new FactsBuilder(source);
  const visit: Visit = {
    facts,
    source,
    text: (node) => (node === undefined ? '' : source.textOf(node)),
    read: (node) => {
      if (node === undefined) return;
      const handler = Object.hasOwn(handlers, node.type) ? handlers[node.type] : undefined;
      if (handler === undefined) visit.readInside(node);
      else handler(node, visit);
    },
    readInside: (node, ...except) => {
      for (const child of node.children)
        if (child.field === null || !except.includes(child.field)) visit.read(child);
    },
  };
  visit.read(source.root);
  return facts.build();
}

/** A name with dots as an expression: `a.b.C`. */
export function dotted(name: string, separator = '.'): Expr {
  const [first = '', ...rest] = name.split(separator).map((part) => part.trim());
  return rest.reduce<Expr>((object, part) => ['member', object, part], first === '' ? null : ['name', first]);
}

/** An object of a named type; null where no type is named. */
export function objectOf(type: Expr): Expr {
  return type === null ? null : ['object', type];
}

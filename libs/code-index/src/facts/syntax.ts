/** A syntax tree as plain values: what the parser's own tree costs is paid once, and what reads it needs no parser. */
import type { Tree } from 'web-tree-sitter';

export interface Syntax {
  readonly type: string;
  /** The role that it has in its parent; null for most. */
  readonly field: string | null;
  readonly from: number;
  readonly to: number;
  readonly row: number;
  readonly endRow: number;
  /** Named ones only: no punctuation, no keywords. */
  readonly children: readonly Syntax[];
}

/** A parsed file. */
export class Source {
  constructor(
    readonly text: string,
    readonly root: Syntax,
    /** Rows, from 0, where the parser met what it could not read. */
    readonly brokenRows: readonly number[],
  ) {}

  textOf(node: Syntax): string {
    return this.text.slice(node.from, node.to);
  }

  /** The column of a node, from 1. */
  columnOf(node: Syntax): number {
    return node.from - (this.text.lastIndexOf('\n', node.from - 1) + 1) + 1;
  }
}

/** The child in a role, or undefined. */
export function inField(node: Syntax, field: string): Syntax | undefined {
  return node.children.find((child) => child.field === field);
}

/** The first child of one of some types, or undefined. */
export function ofType(node: Syntax, ...types: readonly string[]): Syntax | undefined {
  return node.children.find(({ type }) => types.includes(type));
}

interface Growing extends Syntax {
  readonly children: Growing[];
}

/** Copies a tree. Not recursive: expressions can be nested deeper than a stack. */
export function sourceOf(text: string, tree: Tree): Source {
  const cursor = tree.walk();
  const broken: number[] = [];
  const top: Growing = { type: '', field: null, from: 0, to: 0, row: 0, endRow: 0, children: [] };
  const open: Growing[] = [top];
  let isComingUp = false;
  for (;;) {
    if (!isComingUp) {
      if (cursor.nodeType === 'ERROR' || cursor.nodeIsMissing) broken.push(cursor.startPosition.row);
      const node = cursor.nodeIsNamed ? nodeAt(cursor) : null;
      if (node !== null) open.at(-1)?.children.push(node);
      // Tokens have no children.
      if (node !== null && cursor.gotoFirstChild()) {
        open.push(node);
        continue;
      }
    }
    if (cursor.gotoNextSibling()) {
      isComingUp = false;
      continue;
    }
    if (!cursor.gotoParent()) break;
    open.pop();
    isComingUp = true;
  }
  cursor.delete();
  return new Source(text, top.children[0] ?? top, broken);
}

function nodeAt(cursor: ReturnType<Tree['walk']>): Growing {
  return {
    type: cursor.nodeType,
    field: cursor.currentFieldName,
    from: cursor.startIndex,
    to: cursor.endIndex,
    row: cursor.startPosition.row,
    endRow: cursor.endPosition.row,
    children: [],
  };
}

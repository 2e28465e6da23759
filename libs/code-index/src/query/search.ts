/** One question to all there is: names of symbols, paths of files, and the text of every file that git would not ignore. */
import { isSecretFile } from '@bullpen/core';
import { walk } from '@bullpen/workspace';
import { decode, readListed } from '../index/file-text.js';
import type { View } from '../index/code-index.js';
import { findSymbols, type SymbolView } from './symbols.js';

export interface FoundText {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface SearchResult {
  readonly symbols: readonly SymbolView[];
  readonly paths: readonly string[];
  readonly lines: readonly FoundText[];
  /** Text was found in more places than are shown. */
  readonly isCut: boolean;
}

const AT_ONCE = 32;
/** One file with a hundred matches must not hide all others. */
const MOST_OF_A_FILE = 4;
const MOST_CHARS = 200;

/** What holds the words as they are; capitals do not count. A line that a symbol is shown for is not shown again. */
export async function searchCode(
  view: View,
  root: string,
  { query, limit }: { readonly query: string; readonly limit: number },
  signal: AbortSignal,
): Promise<SearchResult> {
  const wanted = query.trim().toLowerCase();
  const symbols = /\s/.test(wanted) ? [] : findSymbols(view, query).slice(0, limit);
  const entries = await walk(root, {}, signal);
  const files = entries
    .filter(({ path, kind, exact }) => kind === 'file' && exact === undefined && !isSecretFile(path))
    .map(({ path }) => path);
  const shown = new Set(symbols.map(({ path, line }) => `${path}:${line}`));
  const lines: FoundText[] = [];
  // What people wrote comes before what programs made.
  const order = [
    ...files.filter((path) => !view.generated.has(path)),
    ...files.filter((path) => view.generated.has(path)),
  ];
  for (let at = 0; at < order.length && lines.length <= limit; at += AT_ONCE) {
    signal.throwIfAborted();
    const found = await Promise.all(order.slice(at, at + AT_ONCE).map((path) => linesOf(root, path, wanted)));
    lines.push(...found.flat().filter(({ path, line }) => !shown.has(`${path}:${line}`)));
  }
  return {
    symbols,
    paths: files.filter((path) => path.toLowerCase().includes(wanted)).slice(0, limit),
    lines: lines.slice(0, limit),
    isCut: lines.length > limit,
  };
}

async function linesOf(root: string, path: string, wanted: string): Promise<readonly FoundText[]> {
  const bytes = await readListed(root, path);
  const decoded = typeof bytes === 'string' ? bytes : decode(bytes);
  if (typeof decoded === 'string' || !decoded.text.toLowerCase().includes(wanted)) return [];
  return decoded.text
    .split('\n')
    .flatMap((line, at) =>
      line.toLowerCase().includes(wanted) ? [{ path, line: at + 1, text: line.trim() }] : [],
    )
    .slice(0, MOST_OF_A_FILE)
    .map((found) => ({ ...found, text: around(found.text, wanted) }));
}

/** Of a long line what is around the words, without half a character at an end. */
function around(text: string, wanted: string): string {
  if (text.length <= MOST_CHARS) return text;
  const from = Math.max(0, text.toLowerCase().indexOf(wanted) - MOST_CHARS / 4);
  const part = text.slice(from, from + MOST_CHARS).replaceAll(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
  return `${from > 0 ? '…' : ''}${part}…`;
}

/** A Markdown file with YAML between two lines of `---` at its top. Each value knows the line it stands on. */
import { errorText } from '@bullpen/contracts';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import type { Flaw } from './problem.js';

interface YamlMap {
  readonly data: Readonly<Record<string, unknown>>;
  /** The line of a value, or of what is nearest to it where it is missing. */
  lineOf(path: readonly PropertyKey[]): number;
}

export interface FrontMatter extends YamlMap {
  /** What follows it, without empty lines around. */
  readonly body: string;
}

const FENCE = /^---[ \t]*$/m;

/** The parts of a text in `\n` lines. Never throws. */
export function parseFrontMatter(text: string): FrontMatter | { readonly flaws: readonly Flaw[] } {
  const [first = ''] = text.split('\n', 1);
  if (!FENCE.test(first))
    return flaw(
      1,
      'does not begin with front matter: the first line must be ---, then name: and description:',
    );
  const rest = text.slice(first.length + 1);
  const end = FENCE.exec(rest);
  if (end === null) return flaw(1, 'the front matter has no end: write a line --- below it');
  // The first line of the file is the fence.
  const read = parseYaml(rest.slice(0, end.index), 1);
  if ('flaws' in read) return read;
  const body = rest.slice(end.index + end[0].length).replaceAll(/^\s*\n|\s+$/g, '');
  return { ...read, body };
}

/** A mapping in YAML that `linesAbove` lines of its file stand above. Never throws. */
export function parseYaml(text: string, linesAbove: number): YamlMap | { readonly flaws: readonly Flaw[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number) => lines.linePos(offset).line + linesAbove;
  const wrong = [...document.errors, ...document.warnings];
  if (wrong.length > 0)
    return {
      flaws: wrong.map(({ pos, message }) => ({
        line: lineAt(pos[0]),
        message: `is not YAML: ${message}${hintFor(message)}`,
      })),
    };
  const read = valueOf(document);
  if ('flaws' in read) return read;
  return { data: read.data, lineOf: (path) => lineAt(offsetOf(document, path)) };
}

/** What people trip over most: a colon in a text without quotes. */
function hintFor(message: string): string {
  return /nested mappings|compact mappings|implicit keys/i.test(message)
    ? ' (put a text that has a colon in it into quotes)'
    : '';
}

function valueOf(document: Document): Pick<FrontMatter, 'data'> | { readonly flaws: readonly Flaw[] } {
  try {
    const data: unknown = document.toJS({ maxAliasCount: 1_000 });
    if (typeof data === 'object' && data !== null && !Array.isArray(data))
      return { data: data as Record<string, unknown> };
    return flaw(1, 'the front matter must be lines like name: value');
  } catch (error) {
    // Aliases that are unknown, or that unfold without end.
    return flaw(1, `is not YAML: ${errorText(error)}`);
  }
}

function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const step of path) {
    if (isAlias(node)) node = node.resolve(document);
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) break;
      offset = startOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      offset = startOf(node) ?? offset;
    } else break;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
    ? Number(node.range[0])
    : undefined;
}

function flaw(line: number, message: string): { readonly flaws: readonly Flaw[] } {
  return { flaws: [{ line, message }] };
}

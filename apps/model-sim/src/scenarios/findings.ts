/** What a survey finds out, for one folder and for all of them together. */
import { z } from 'zod';
import { languageOf } from './languages.js';
import type { ListingEntry, SearchMatch } from './tool-output.js';

const count = z.number().int().nonnegative();
const LanguageCount = z.object({ language: z.string(), files: count, lines: count });
const Todo = z.object({ file: z.string(), line: count, kind: z.enum(['TODO', 'FIXME']), text: z.string() });
const FileSize = z.object({ file: z.string(), bytes: count });

const FolderCount = z.object({ folder: z.string(), files: count, lines: count });
type FolderCount = z.infer<typeof FolderCount>;

/** The output of one `survey-reader`: of one folder or of several. */
export const Findings = z.object({
  folders: z.array(FolderCount),
  files: count,
  lines: count,
  bytes: count,
  languages: z.array(LanguageCount),
  todos: z.array(Todo),
  largest: z.array(FileSize),
});
export type Findings = z.infer<typeof Findings>;
type LanguageCount = z.infer<typeof LanguageCount>;
export type Todo = z.infer<typeof Todo>;
type FileSize = z.infer<typeof FileSize>;

/** The output of `survey-lead`. */
export interface SurveyOutput {
  report: string;
  totals: { files: number; lines: number; bytes: number };
  languages: LanguageCount[];
  todos: Todo[];
  largest: FileSize[];
  folders: FolderCount[];
  /** Folders that not all is known of. */
  incomplete: string[];
}

export const REPORT_FILE = 'REPORT.md';
const LARGEST = 10;
const TODO_TEXT_CHARACTERS = 160;

/** Counts folders. Links and directories are no files; a binary file has no lines; an old report is left out. */
export function findingsOf(
  parts: ReadonlyMap<string, readonly ListingEntry[]>,
  matches: readonly SearchMatch[],
): Findings {
  const files = uniqueFiles([...parts.values()].flat());
  return {
    folders: [...parts].map(([folder, entries]) => {
      const own = uniqueFiles(entries);
      return { folder, files: own.length, lines: total(own, ({ lines = 0 }) => lines) };
    }),
    files: files.length,
    lines: total(files, ({ lines = 0 }) => lines),
    bytes: total(files, ({ bytes = 0 }) => bytes),
    languages: mergeLanguages(
      files.map(({ kind, path, lines = 0 }) => ({
        language: kind === 'binary' ? 'Binary' : languageOf(path),
        files: 1,
        lines,
      })),
    ),
    todos: todosOf(matches),
    largest: largestOf(files.map(({ path, bytes = 0 }) => ({ file: path, bytes }))),
  };
}

/** Everything together. `incomplete` are the folders that not all is known of. */
export function mergeFindings(found: readonly Findings[], incomplete: readonly string[]): SurveyOutput {
  return {
    report: REPORT_FILE,
    totals: {
      files: total(found, ({ files }) => files),
      lines: total(found, ({ lines }) => lines),
      bytes: total(found, ({ bytes }) => bytes),
    },
    languages: mergeLanguages(found.flatMap(({ languages }) => languages)),
    todos: found.flatMap(({ todos }) => todos).toSorted(byPlace),
    largest: largestOf(found.flatMap(({ largest }) => largest)),
    folders: found
      .flatMap(({ folders }) => folders)
      .filter(({ files }) => files > 0)
      .toSorted((a, b) => compare(a.folder, b.folder)),
    incomplete: incomplete.toSorted(compare),
  };
}

/** Rows of folders that have room in so many tokens: where each has none of its own, neighbours share one. */
export function fitFolders(
  folders: readonly FolderCount[],
  maxTokens: number,
  estimate: (text: string) => number,
): FolderCount[] {
  for (let together = 1; ; together *= 2) {
    const rows = chunks(folders, together).map((part): FolderCount => {
      const [first, last] = [part[0]?.folder ?? '', part.at(-1)?.folder ?? ''];
      return {
        folder: part.length < 2 ? first : `${first} … ${last} (${part.length} folders)`,
        files: total(part, ({ files }) => files),
        lines: total(part, ({ lines }) => lines),
      };
    });
    if (rows.length < 2 || estimate(JSON.stringify(rows)) <= maxTokens) return rows;
  }
}

/** The items in their order, so many in each part; the last part may be smaller. */
export function chunks<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_none, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}

/**
 * Makes a list of findings fit into an answer of so many tokens: first the texts get shorter, then the last ones are left
 * out. `omitted` says how many are gone.
 */
export function fitTodos(
  todos: readonly Todo[],
  maxTokens: number,
  estimate: (text: string) => number,
): { todos: Todo[]; omitted: number } {
  for (const characters of [TODO_TEXT_CHARACTERS, 80, 30]) {
    const shorter = todos.map((todo) => ({ ...todo, text: clip(todo.text, characters) }));
    if (estimate(JSON.stringify(shorter)) <= maxTokens) return { todos: shorter, omitted: 0 };
  }
  const kept: Todo[] = [];
  let left = maxTokens;
  for (const todo of todos) {
    const short = { ...todo, text: clip(todo.text, 30) };
    left -= estimate(JSON.stringify(short)) + 1;
    if (left < 0) break;
    kept.push(short);
  }
  return { todos: kept, omitted: todos.length - kept.length };
}

/** Order by code units: the same on every machine, whatever its locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function uniqueFiles(entries: readonly ListingEntry[]): ListingEntry[] {
  const files = entries.filter(
    ({ kind, path }) => (kind === 'file' || kind === 'binary') && path !== REPORT_FILE,
  );
  return [...new Map(files.map((file) => [file.path, file])).values()];
}

/** One finding for each line; the first match on the line decides. */
function todosOf(matches: readonly SearchMatch[]): Todo[] {
  const firsts = new Map<string, SearchMatch>();
  for (const match of matches) {
    const key = `${match.line} ${match.path}`;
    const known = firsts.get(key);
    if (match.path !== REPORT_FILE && (known === undefined || match.column < known.column))
      firsts.set(key, match);
  }
  return [...firsts.values()]
    .flatMap(({ path, line, text }): Todo[] => {
      const kind = /\b(TODO|FIXME)\b/.exec(text)?.[1];
      return kind === 'TODO' || kind === 'FIXME'
        ? [{ file: path, line, kind, text: clip(text.trim(), TODO_TEXT_CHARACTERS) }]
        : [];
    })
    .toSorted(byPlace);
}

function mergeLanguages(counts: readonly LanguageCount[]): LanguageCount[] {
  const merged = new Map<string, LanguageCount>();
  for (const { language, files, lines } of counts) {
    const known = merged.get(language) ?? { language, files: 0, lines: 0 };
    merged.set(language, { language, files: known.files + files, lines: known.lines + lines });
  }
  return [...merged.values()].toSorted(
    (a, b) => b.lines - a.lines || b.files - a.files || compare(a.language, b.language),
  );
}

function largestOf(files: readonly FileSize[]): FileSize[] {
  return files.toSorted((a, b) => b.bytes - a.bytes || compare(a.file, b.file)).slice(0, LARGEST);
}

function byPlace(a: Todo, b: Todo): number {
  return compare(a.file, b.file) || a.line - b.line;
}

function clip(text: string, characters: number): string {
  const all = Array.from(text);
  return all.length <= characters ? text : `${all.slice(0, characters).join('')}…`;
}

function total<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0);
}

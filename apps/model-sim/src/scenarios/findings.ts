/** What a survey finds out, for one folder and for all of them together. */
import { z } from 'zod';
import { languageOf } from './languages.js';
import type { ListingEntry, SearchMatch } from './tool-output.js';

const count = z.number().int().nonnegative();
const LanguageCount = z.object({ language: z.string(), files: count, lines: count });
const Todo = z.object({ file: z.string(), line: count, kind: z.enum(['TODO', 'FIXME']), text: z.string() });
const FileSize = z.object({ file: z.string(), bytes: count });

/** The output of one `survey-reader`. */
export const FolderFindings = z.object({
  folder: z.string(),
  files: count,
  lines: count,
  bytes: count,
  languages: z.array(LanguageCount),
  todos: z.array(Todo),
  largest: z.array(FileSize),
});
export type FolderFindings = z.infer<typeof FolderFindings>;
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
  folders: Array<{ folder: string; files: number; lines: number }>;
  /** Folders that nothing is known of because their subtask failed. */
  incomplete: string[];
}

export const REPORT_FILE = 'REPORT.md';
const LARGEST = 10;
const TODO_TEXT_CHARACTERS = 160;

/** Counts a folder. Links and directories are no files; a binary file has no lines; an old report is left out. */
export function findingsOf(
  folder: string,
  entries: readonly ListingEntry[],
  matches: readonly SearchMatch[],
): FolderFindings {
  const files = uniqueFiles(entries);
  return {
    folder,
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

/** Everything together. `incomplete` are the folders without findings. */
export function mergeFindings(found: readonly FolderFindings[], incomplete: readonly string[]): SurveyOutput {
  const folders = found.toSorted((a, b) => compare(a.folder, b.folder));
  return {
    report: REPORT_FILE,
    totals: {
      files: total(folders, ({ files }) => files),
      lines: total(folders, ({ lines }) => lines),
      bytes: total(folders, ({ bytes }) => bytes),
    },
    languages: mergeLanguages(folders.flatMap(({ languages }) => languages)),
    todos: folders.flatMap(({ todos }) => todos).toSorted(byPlace),
    largest: largestOf(folders.flatMap(({ largest }) => largest)),
    folders: folders.map(({ folder, files, lines }) => ({ folder, files, lines })),
    incomplete: incomplete.toSorted(compare),
  };
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

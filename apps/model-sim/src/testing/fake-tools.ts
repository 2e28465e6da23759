/** The product's tools as far as the survey uses them, over a real folder, in the agreed text formats. */
import { lstatSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plural } from '../scenarios/plural.js';

export type FakeTool = (input: Record<string, unknown>) => string;

export interface FakeToolOptions {
  root: string;
  pageSize: number;
  /** Starts a subtask and gives its id. */
  spawn: (input: Record<string, unknown>) => string;
  /** The result of wait_for_subtasks. */
  wait: (taskIds: readonly string[]) => string;
}

export function fakeTools({ root, pageSize, spawn, wait }: FakeToolOptions): Record<string, FakeTool> {
  return {
    list_files: ({ path, recursive, details, offset }) => {
      const lines = walk(root, String(path), recursive === true).map((entry) =>
        entryLine(root, entry, details === true),
      );
      return paged(
        `${path}: ${plural(lines.length, 'entry', 'entries')}`,
        lines,
        'entries',
        Number(offset ?? 0),
        pageSize,
      );
    },
    search_files: ({ path, pattern, offset }) => {
      const matches = walk(root, String(path), true).flatMap((entry) =>
        matchLines(root, entry, new RegExp(String(pattern), 'g')),
      );
      const files = new Set(matches.map(({ path }) => path)).size;
      if (matches.length === 0) return '0 matches';
      return paged(
        `${plural(matches.length, 'match', 'matches')} in ${plural(files, 'file')}`,
        matches.map(({ line }) => line),
        'matches',
        Number(offset ?? 0),
        pageSize,
      );
    },
    read_file: ({ path }) => readFileSync(join(root, String(path)), 'utf8').slice(0, 500),
    write_file: ({ path, content }) => {
      writeFileSync(join(root, String(path)), String(content));
      return 'written';
    },
    update_todos: () => 'ok',
    complete_task: () => 'completed',
    spawn_subtask: (input) => JSON.stringify({ taskId: spawn(input) }),
    wait_for_subtasks: ({ taskIds }) => wait(taskIds as string[]),
  };
}

function walk(root: string, path: string, isRecursive: boolean): string[] {
  const names = readdirSync(join(root, path)).toSorted();
  return names
    .filter((name) => name !== '.git')
    .flatMap((name) => {
      const entry = path === '.' ? name : `${path}/${name}`;
      return isRecursive && lstatSync(join(root, entry)).isDirectory()
        ? [entry, ...walk(root, entry, true)]
        : [entry];
    });
}

function entryLine(root: string, path: string, hasDetails: boolean): string {
  const stat = lstatSync(join(root, path));
  if (stat.isSymbolicLink())
    return `l ${hasDetails ? '- - ' : ''}${quoted(path)} -> ${readlinkSync(join(root, path))}`;
  if (stat.isDirectory()) return `d ${hasDetails ? '- - ' : ''}${quoted(`${path}/`)}`;
  if (!hasDetails) return `f ${quoted(path)}`;
  const bytes = readFileSync(join(root, path));
  if (bytes.includes(0)) return `b - ${bytes.length} ${quoted(path)}`;
  return `f ${linesOf(bytes.toString()).length} ${bytes.length} ${quoted(path)}`;
}

function matchLines(root: string, path: string, pattern: RegExp): Array<{ path: string; line: string }> {
  if (!lstatSync(join(root, path)).isFile()) return [];
  const bytes = readFileSync(join(root, path));
  if (bytes.includes(0)) return [];
  const shown = path.includes(':') ? JSON.stringify(path) : quoted(path);
  return linesOf(bytes.toString()).flatMap((text, index) =>
    [...text.matchAll(pattern)].map((match) => ({
      path,
      line: `${shown}:${index + 1}:${match.index + 1}: ${text}`,
    })),
  );
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function quoted(path: string): string {
  return /[\p{Cc}\\"]|^ | $/u.test(path) ? JSON.stringify(path) : path;
}

function paged(head: string, lines: string[], what: string, offset: number, pageSize: number): string {
  const shown = lines.slice(offset, offset + pageSize);
  const next = offset + shown.length;
  const rest = lines.length - next;
  const more = rest > 0 ? [`… ${rest} more ${what}; continue with offset ${next}`] : [];
  return [`${head} (showing ${offset + 1}-${next})`, ...shown, ...more].join('\n');
}

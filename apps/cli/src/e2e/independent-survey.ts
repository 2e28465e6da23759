/** Counts a folder in a second, independent way: what the demo's report must agree with. Uses git's own view of what is ignored. */
import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface IndependentSurvey {
  readonly files: number;
  readonly lines: number;
  readonly bytes: number;
  /** `file:line:kind`, sorted. */
  readonly todos: readonly string[];
  readonly largest: number;
}

/** Counts what git would add, or every regular file where there is no repository. */
export function surveyIndependently(folder: string): IndependentSurvey {
  const files = (isRepository(folder) ? gitFiles(folder) : allFiles(folder)).filter(
    (file) => file !== 'REPORT.md' && isRegular(join(folder, file)),
  );
  let lines = 0;
  let bytes = 0;
  let largest = 0;
  const todos: string[] = [];
  for (const file of files) {
    const content = readFileSync(join(folder, file));
    bytes += content.length;
    largest = Math.max(largest, content.length);
    if (content.includes(0)) continue; // Binary: no lines, no findings.
    const texts = content.toString('utf8').split('\n');
    if (texts.at(-1) === '') texts.pop();
    lines += texts.length;
    texts.forEach((text, at) => {
      const kind = /\b(TODO|FIXME)\b/.exec(text)?.[1];
      if (kind) todos.push(`${file}:${at + 1}:${kind}`);
    });
  }
  return { files: files.length, lines, bytes, todos: todos.sort(), largest };
}

function isRepository(folder: string): boolean {
  return readdirSync(folder).includes('.git');
}

function gitFiles(folder: string): string[] {
  const list = (...args: string[]) =>
    execFileSync('git', ['-C', folder, 'ls-files', '-z', ...args], { maxBuffer: 1 << 28 })
      .toString('utf8')
      .split('\0')
      .filter((name) => name !== '');
  const ignoredButTracked = new Set(list('-ci', '--exclude-standard'));
  return [...new Set(list('-co', '--exclude-standard'))].filter((file) => !ignoredButTracked.has(file));
}

function allFiles(folder: string, from = folder): string[] {
  return readdirSync(from, { withFileTypes: true }).flatMap((entry) => {
    const path = join(from, entry.name);
    return entry.isDirectory() ? allFiles(folder, path) : [relative(folder, path)];
  });
}

function isRegular(path: string): boolean {
  try {
    return lstatSync(path).isFile();
  } catch {
    return false; // Listed by git, deleted on disk.
  }
}

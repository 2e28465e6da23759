/** What a change does to a file, as a unified diff for people. The only place that knows `diff`. */
import { plural } from '@bullpen/contracts';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { isSecretFile } from '@bullpen/core';

/** Longer diffs are cut: nobody reads them, and they are stored with what is asked. In characters. */
const MAX_DIFF_CHARS = 30_000;
/** Texts over this are not compared, and a comparison ends after that many milliseconds. */
const MAX_TEXT_CHARS = 1_000_000;
const MAX_MS = 300;

/**
 * The diff of a file's text, or undefined when there is none to show: nothing changes, the texts are too long, or the file may
 * hold secrets, which its unchanged lines would carry to whoever looks. `before` null: the file is new.
 */
export function fileDiff(path: string, before: string | null, after: string): string | undefined {
  if (before === after || isSecretFile(path)) return undefined;
  if ((before?.length ?? 0) + after.length > MAX_TEXT_CHARS) return undefined;
  const [from, to] = [before === null ? '/dev/null' : `a/${path}`, `b/${path}`];
  const patch =
    before === null || before === ''
      ? undefined
      : createTwoFilesPatch(from, to, before, after, undefined, undefined, {
          context: 3,
          timeout: MAX_MS,
          headerOptions: FILE_HEADERS_ONLY,
        });
  return cut(patch ?? `--- ${from}\n+++ ${to}\n${replacement(before ?? '', after)}`);
}

/** One text taken out and the other put in: all there is to say of a new file, and of texts that have too little in common. */
function replacement(before: string, after: string): string {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const range = (lines: readonly string[]) => `${lines.length === 0 ? 0 : 1},${lines.length}`;
  const marked = (mark: string, lines: readonly string[], text: string) =>
    lines.map((line) => `${mark}${line}\n`).join('') +
    (text === '' || text.endsWith('\n') ? '' : '\\ No newline at end of file\n');
  return `@@ -${range(old)} +${range(fresh)} @@\n${marked('-', old, before)}${marked('+', fresh, after)}`;
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function cut(patch: string): string {
  if (patch.length <= MAX_DIFF_CHARS) return patch;
  const end = patch.lastIndexOf('\n', MAX_DIFF_CHARS);
  const rest = patch.slice(end + 1).split('\n').length - 1;
  return `${patch.slice(0, end + 1)}… ${plural(rest, 'more line')} of the diff\n`;
}

/** What came with a task for its agent to read, read once: files and folders of the workspace, text, pages. */
import type { ContextItem, GivenItem } from '@bullpen/contracts';
import { walk } from '../walk.js';
import { problem, readText, textOf, type FoundText } from './read-text.js';

/** Of one item, and of all of them, in bytes: the rest can be read by calls. */
const MOST_BYTES = 100_000;
const MOST_OF_ALL = 300_000;
const MOST_FILES = 200;

/** Reads the text of a page. Never throws but for the signal. */
export type ReadPage = (url: string, limit: number, signal: AbortSignal) => Promise<FoundText>;

/** In their order. Whatever is wrong with one is its `problem`, and stops none of the others. */
export async function contextItems(
  items: readonly ContextItem[],
  workspacePath: string,
  readPage: ReadPage,
  signal: AbortSignal,
): Promise<readonly GivenItem[]> {
  const given: GivenItem[] = [];
  let left = MOST_OF_ALL;
  for (const item of items) {
    const limit = Math.min(MOST_BYTES, left);
    const found =
      limit === 0
        ? problem('there was no room left for it')
        : await read(item, workspacePath, limit, readPage, signal);
    given.push({ kind: item.kind, name: nameOf(item), ...found });
    left -= Math.min(left, Buffer.byteLength(found.text));
  }
  return given;
}

async function read(
  item: ContextItem,
  workspacePath: string,
  limit: number,
  readPage: ReadPage,
  signal: AbortSignal,
): Promise<FoundText> {
  switch (item.kind) {
    case 'file':
      return (
        (await readText(workspacePath, item.path, limit)) ??
        problem(`there is no file ${JSON.stringify(item.path)} in the workspace`)
      );
    case 'folder':
      return readFolder(workspacePath, item.path, limit, signal);
    case 'text': {
      const bytes = Buffer.from(item.text);
      return textOf(bytes, bytes.length, limit, null);
    }
    case 'url':
      return readPage(item.url, limit, signal);
  }
}

function nameOf(item: ContextItem): string {
  switch (item.kind) {
    case 'file':
    case 'folder':
      return item.path;
    case 'text':
      return item.title ?? 'text';
    case 'url':
      return item.url;
  }
}

/** The texts of a folder's files, each under its name, without what is ignored or hidden. */
async function readFolder(
  workspacePath: string,
  folder: string,
  limit: number,
  signal: AbortSignal,
): Promise<FoundText> {
  const from = folder
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/');
  if (from.split('/').includes('..'))
    return problem(`${JSON.stringify(folder)} leads outside of the workspace`);
  let files: readonly string[];
  try {
    files = (await walk(workspacePath, { from }, signal))
      .filter(({ kind, exact }) => kind === 'file' && exact === undefined)
      .map(({ path }) => path);
  } catch (error) {
    signal.throwIfAborted();
    return problem(
      `the folder ${JSON.stringify(folder)} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'not a folder'})`,
    );
  }
  const texts: string[] = [];
  const left: string[] = [];
  let room = limit;
  for (const file of files) {
    const found = texts.length < MOST_FILES && room > 0 ? await readText(workspacePath, file, room) : null;
    const text = found === null || found.text === '' || found.cut ? null : `## ${file}\n${found.text}`;
    if (text === null || Buffer.byteLength(text) > room) left.push(file);
    else {
      texts.push(text);
      room -= Buffer.byteLength(text) + 1;
    }
  }
  const bytes = Buffer.from(texts.join('\n'));
  const rest =
    left.length === 0
      ? null
      : `${left.length} of ${files.length} files are not above, for their size or because they hold no text: ${left.slice(0, 50).join(', ')}${left.length > 50 ? ', …' : ''}`;
  return {
    ...textOf(bytes, bytes.length, bytes.length, null),
    cut: left.length > 0,
    problem: files.length === 0 ? 'it holds no files' : rest,
  };
}

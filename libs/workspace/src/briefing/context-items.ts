/** What came with a task for its agent to read, read once: files and folders of the workspace, text, pages. */
import { mediaText, type ContextItem, type GivenItem, type Media } from '@bullpen/contracts';
import { mediaIssue, type MediaStore } from '@bullpen/core';
import { walk } from '../walk.js';
import { problem, readText, textOf, type FoundText } from './read-text.js';

/** Of one item, and of all of them, in bytes: the rest can be read by calls. */
const MOST_BYTES = 100_000;
const MOST_OF_ALL = 300_000;
const MOST_FILES = 200;

/** Reads the text of a page. Never throws but for the signal. */
export type ReadPage = (url: string, limit: number, signal: AbortSignal) => Promise<FoundText>;

/** The pictures and documents of the task's tenant. */
export interface TenantMedia {
  readonly describe: (sha256: string) => Promise<Media | null>;
  readonly keep: (content: Uint8Array) => Promise<Media | null>;
}

export function mediaOf(store: MediaStore, tenantId: string): TenantMedia {
  return {
    describe: (sha256) => store.describe(tenantId, sha256),
    keep: (content) => store.keep(tenantId, content),
  };
}

/** What the agent reads of an item, or is shown. */
type Found = FoundText & { readonly media?: Media };

/** Where an item is read from. */
export interface ItemSources {
  readonly workspacePath: string;
  readonly readPage: ReadPage;
  readonly media: TenantMedia;
}

/** In their order. Whatever is wrong with one is its `problem`, and stops none of the others. */
export async function contextItems(
  items: readonly ContextItem[],
  sources: ItemSources,
  signal: AbortSignal,
): Promise<readonly GivenItem[]> {
  const given: GivenItem[] = [];
  let left = MOST_OF_ALL;
  for (const item of items) {
    const limit = Math.min(MOST_BYTES, left);
    const found =
      limit === 0 ? problem('there was no room left for it') : await read(item, sources, limit, signal);
    const { content: _, ...told } = found;
    given.push({ kind: item.kind, name: nameOf(item), ...told });
    left -= Math.min(left, Buffer.byteLength(found.text));
  }
  return given;
}

async function read(
  item: ContextItem,
  { workspacePath, readPage, media }: ItemSources,
  limit: number,
  signal: AbortSignal,
): Promise<Found> {
  switch (item.kind) {
    case 'file': {
      const found = await readText(workspacePath, item.path, limit);
      if (found === null) return problem(`there is no file ${JSON.stringify(item.path)} in the workspace`);
      return found.content === undefined ? found : seen(found, found.content, media);
    }
    case 'folder':
      return readFolder(workspacePath, item.path, limit, signal);
    case 'text': {
      const bytes = Buffer.from(item.text);
      return textOf(bytes, bytes.length, limit, null);
    }
    case 'attachment': {
      const kept = await media.describe(item.sha256);
      return kept === null ? problem('it is not stored any more') : shown(kept);
    }
    case 'url':
      return readPage(item.url, limit, signal);
  }
}

/** A file that is no text may be a picture or a PDF. */
async function seen(found: FoundText, content: Buffer, media: TenantMedia): Promise<Found> {
  const kept = await media.keep(content);
  if (kept === null) return found;
  const issue = mediaIssue(kept);
  return issue === null ? shown(kept) : { ...found, problem: issue };
}

function shown(media: Media): Found {
  const { sha256, bytes } = media;
  return { bytes, sha256, text: mediaText(media), cut: false, problem: null, media };
}

function nameOf(item: ContextItem): string {
  switch (item.kind) {
    case 'file':
    case 'folder':
      return item.path;
    case 'text':
      return item.title ?? 'text';
    case 'attachment':
      return item.name ?? 'attachment';
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

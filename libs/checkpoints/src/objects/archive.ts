/** All that a checkpoint holds as a tar archive, made piece by piece from stored objects: no folder is made for it. */
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Headers, type Pack } from 'tar-stream';
import type { Checkpoints } from '../checkpoints.js';
import { bytesOf, parentOf, shownPath, type BytePath } from '../files/byte-path.js';
import { blobs, type Pieces } from './blobs.js';
import { listingOf, type Entry, type Listed } from './listing.js';
import type { ShadowRepository } from './shadow-repository.js';

/** The archive, compressed by gzip, piece by piece. Throws `ObjectsMissing`. */
export async function* archiveOf(
  checkpoints: Checkpoints,
  commit: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const shadow = await checkpoints.bring(commit, signal);
  const archive = pack();
  const gzip = createGzip();
  const compressed = pipeline(archive, gzip, { signal });
  // Whoever reads the archive is told.
  compressed.catch(() => undefined);
  const filled = fill(archive, shadow, commit, signal);
  filled.catch((error: Error) => gzip.destroy(error));
  yield* gzip as AsyncIterable<Buffer>;
  await Promise.all([filled, compressed]);
}

interface Member {
  readonly path: BytePath;
  readonly entry: Entry;
}

async function fill(
  archive: Pack,
  shadow: ShadowRepository,
  commit: string,
  signal: AbortSignal,
): Promise<void> {
  const mtime = new Date(Number(await shadow.git.line(['show', '-s', '--format=%ct', commit])) * 1_000);
  const members = membersOf(await listingOf(shadow, commit));
  const ids = members.flatMap(({ entry }) => entry.blob ?? []);
  const sizes = await sizesOf(shadow, ids, signal);
  const contents = blobs(shadow, ids, signal);
  for (const { path, entry } of members) {
    // With the bits of a kind: none at all would be taken for "the usual".
    const header = { mode: 0o100000 | entry.perm, mtime };
    const content = entry.blob === null ? null : ((await contents.next()).value as Pieces);
    if (content === null) await add(archive, { ...header, type: 'directory' }, { path });
    else if (entry.kind === 'link')
      await add(archive, { ...header, type: 'symlink' }, { path, target: await textOf(content) });
    else
      await add(archive, { ...header, type: 'file', size: sizes.get(entry.blob ?? '') }, { path }, content);
  }
  await contents.next();
  archive.finalize();
}

/** Each folder before what is in it. */
function membersOf({ entries, folderPerm }: Listed): readonly Member[] {
  const all = new Map(entries);
  for (const path of entries.keys())
    for (let above = parentOf(path); above !== '' && !all.has(above); above = parentOf(above))
      all.set(above, { kind: 'folder', blob: null, perm: folderPerm });
  return [...all].map(([path, entry]) => ({ path, entry })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function sizesOf(
  shadow: ShadowRepository,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const input = ids.map((id) => `${id}\n`).join('');
  const answer = await shadow.git.run(['cat-file', '--batch-check=%(objectsize)'], { input, signal });
  const sizes = answer.toString('latin1').split('\n');
  return new Map(ids.map((id, at) => [id, Number(sizes[at])]));
}

interface Names {
  readonly path: BytePath;
  /** Of a link. */
  readonly target?: BytePath;
}

async function add(
  archive: Pack,
  header: Omit<Headers, 'name'>,
  { path, target }: Names,
  content: Pieces | null = null,
): Promise<void> {
  const link = target === undefined ? {} : { linkname: shownPath(target) };
  if (isText(path) && (target === undefined || isText(target)))
    return put(archive, { ...header, ...link, name: shownPath(path) }, content);
  // The format's own way for names that are no UTF-8, which the library takes for text.
  const records = [record('path', path), ...(target === undefined ? [] : [record('linkpath', target)])];
  await put(archive, { name: 'names', type: 'pax-header' }, Buffer.concat(records));
  await put(archive, { ...header, name: 'odd-name', ...(target !== undefined && { linkname: 'odd-name' }) }, content); // prettier-ignore
}

async function put(archive: Pack, header: Headers, content: Pieces | Buffer | null): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: Error | null): void => (error ? reject(error) : resolve());
    if (Buffer.isBuffer(content)) archive.entry(header, content, done);
    else {
      const sink = archive.entry(header, done);
      if (content !== null) pipeline(content, sink).catch(reject);
    }
  });
}

function isText(path: BytePath): boolean {
  const bytes = bytesOf(path);
  return Buffer.from(bytes.toString('utf8')).equals(bytes);
}

/** Its length comes first, and counts its own digits. */
function record(keyword: string, value: BytePath): Buffer {
  const rest = ` ${keyword}=${value}\n`;
  let length = rest.length;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  return bytesOf(`${length}${rest}`);
}

async function textOf(content: Pieces): Promise<BytePath> {
  let text = '';
  for await (const piece of content) text += piece.toString('latin1');
  return text;
}

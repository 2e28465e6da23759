/** Pictures and documents: each is what it is said to be, and there are no more than the API takes. */
import { invalidRequest } from '../api-error.js';
import { blocksOf, type ContentBlock, type MessagesRequest } from '../wire.js';

const MOST_IMAGE_BYTES = 5 * 1_024 * 1_024;
/** What a request may have for models with a large window; those with a small one take a hundred. */
const MOST_IMAGES = 600;
const MOST_PAGES = 600;

const IMAGE_STARTS: readonly (readonly [type: string, start: string, at: number])[] = [
  ['image/png', '\u0089PNG', 0],
  ['image/jpeg', '\u00ff\u00d8\u00ff', 0],
  ['image/gif', 'GIF8', 0],
  ['image/webp', 'WEBP', 8],
];

/** Throws `ApiError` (400) for the first picture or document that the API would refuse. */
export function checkMedia({ messages }: MessagesRequest): void {
  let images = 0;
  let pages = 0;
  messages.forEach(({ role, content }, index) => {
    for (const { block, path } of placed(blocksOf(content), `messages.${index}.content`)) {
      if (block.type !== 'image' && block.type !== 'document') continue;
      if (role !== 'user')
        throw invalidRequest(`${path}: \`${block.type}\` blocks can only be in \`user\` messages`);
      if (block.type === 'image') {
        images += 1;
        checkImage(block, `${path}.image`);
      } else pages += pagesOf(block, `${path}.document`);
    }
  });
  if (images > MOST_IMAGES) throw invalidRequest(`messages: at most ${MOST_IMAGES} images may be provided`);
  if (pages > MOST_PAGES) throw invalidRequest(`A maximum of ${MOST_PAGES} PDF pages may be provided.`);
}

interface Placed {
  readonly block: ContentBlock;
  readonly path: string;
}

function placed(blocks: readonly ContentBlock[], path: string): Placed[] {
  return blocks.flatMap((block, at): Placed[] => {
    const here = `${path}.${at}`;
    if (block.type !== 'tool_result' || !Array.isArray(block.content)) return [{ block, path: here }];
    return placed(block.content, `${here}.tool_result.content`);
  });
}

interface Source {
  readonly type?: unknown;
  readonly media_type?: unknown;
  readonly data?: unknown;
}

function sourceOf(block: ContentBlock, path: string): Source {
  const source = 'source' in block ? block.source : undefined;
  if (typeof source !== 'object' || source === null) throw invalidRequest(`${path}.source: Field required`);
  return source;
}

function checkImage(block: ContentBlock, path: string): void {
  const source = sourceOf(block, path);
  if (source.type === 'url' || source.type === 'file') return;
  const place = `${path}.source.base64`;
  const said = source.media_type;
  if (!IMAGE_STARTS.some(([type]) => type === said))
    throw invalidRequest(
      `${place}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
    );
  const data = bytesOf(source, place);
  if (String(source.data).length > MOST_IMAGE_BYTES)
    throw invalidRequest(
      `${place}: image exceeds 5 MB maximum: ${String(source.data).length} bytes > ${MOST_IMAGE_BYTES} bytes`,
    );
  const is = IMAGE_STARTS.find(([, start, at]) => data.startsWith(start, at))?.[0];
  if (is === undefined) throw invalidRequest(`${place}.data: Could not process image`);
  if (is !== said)
    throw invalidRequest(
      `${place}.data: The image was specified using the ${String(said)} media type, but the image appears to be a ${is} image`,
    );
}

/** How many pages a document has, as far as that can be seen. */
function pagesOf(block: ContentBlock, path: string): number {
  const source = sourceOf(block, path);
  if (source.type !== 'base64') return 0;
  const place = `${path}.source.base64`;
  if (source.media_type !== 'application/pdf')
    throw invalidRequest(`${place}.media_type: Input should be 'application/pdf'`);
  const data = bytesOf(source, place);
  if (!data.startsWith('%PDF-')) throw invalidRequest(`${place}.data: The PDF specified was not valid.`);
  return data.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? 1;
}

/** One character a byte. */
function bytesOf({ data }: Source, place: string): string {
  const text = typeof data === 'string' ? data : '';
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.toString('base64') !== text)
    throw invalidRequest(`${place}.data: Input should be valid base64 data`);
  return bytes.toString('latin1');
}

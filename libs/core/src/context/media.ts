/**
 * Pictures and documents: what they are, told from their content, and what they take of a window: by their pixels and pages. How long they
 * are says nothing about that.
 */
import type { Media, MediaType } from '@bullpen/contracts';

/** The provider's rule: width x height / 750, after scaling down to what it looks at. */
const PIXELS_PER_TOKEN = 750;
const LONGEST_EDGE = 1_568;
const MAX_IMAGE_TOKENS = 1_600;

/** The text of a page, and the page as a picture. */
const TOKENS_PER_PAGE = 3_000;
/** Where the pages cannot be counted. */
const BYTES_PER_PAGE = 50_000;

interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** What there is to know about a content besides its digest. */
export type MediaFacts = Omit<Media, 'sha256'>;

/** Tokens of a picture or a document. Of a picture whose size is not known, the most that one can take. */
export function mediaTokens({ mediaType, width, height, pages, bytes }: Media): number {
  if (mediaType === 'application/pdf')
    return (pages ?? Math.max(1, Math.ceil(bytes / BYTES_PER_PAGE))) * TOKENS_PER_PAGE;
  if (width === null || height === null) return MAX_IMAGE_TOKENS;
  const scale = Math.min(1, LONGEST_EDGE / Math.max(width, height, 1));
  const pixels = width * scale * (height * scale);
  return Math.max(1, Math.min(MAX_IMAGE_TOKENS, Math.ceil(pixels / PIXELS_PER_TOKEN)));
}

/** What a content is, whatever its name or its sender says; null for what is no picture and no PDF that a model takes. */
export function mediaFacts(content: Uint8Array): MediaFacts | null {
  const mediaType = typeOf(content);
  if (mediaType === null) return null;
  const bytes = content.byteLength;
  if (mediaType === 'application/pdf')
    return { mediaType, bytes, width: null, height: null, pages: pagesOf(content) };
  const { width, height } = pixelSize(mediaType, content) ?? { width: null, height: null };
  return { mediaType, bytes, width, height, pages: null };
}

/** A picture may have this much as base64, and so many pixels on an edge: the provider refuses the whole request otherwise. */
const MOST_IMAGE_BASE64 = 5 * 1_024 * 1_024;
const LONGEST_IMAGE_EDGE = 8_000;

/** Why no model takes this one; null when they do. */
export function mediaIssue({ mediaType, width, height, bytes }: MediaFacts): string | null {
  if (mediaType === 'application/pdf') return null;
  if (base64Length(bytes) > MOST_IMAGE_BASE64)
    return `a picture may have at most ${Math.floor((MOST_IMAGE_BASE64 * 3) / 4)} bytes, and this one has ${bytes}`;
  if (Math.max(width ?? 0, height ?? 0) > LONGEST_IMAGE_EDGE)
    return `a picture may have at most ${LONGEST_IMAGE_EDGE} pixels on an edge, and this one has ${width}x${height}`;
  return null;
}

/** How long a content of so many bytes is in a request. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** How the content of each type begins. */
function typeOf(content: Uint8Array): MediaType | null {
  const starts = (text: string, at = 0) => latin(content, at, at + text.length) === text;
  if (starts('\u0089PNG\r\n\u001a\n')) return 'image/png';
  if (starts('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (starts('GIF87a') || starts('GIF89a')) return 'image/gif';
  if (starts('RIFF') && starts('WEBP', 8)) return 'image/webp';
  return starts('%PDF-') ? 'application/pdf' : null;
}

/** Those that stand in compressed parts cannot be counted. */
function pagesOf(content: Uint8Array): number | null {
  return new TextDecoder('latin1').decode(content).match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length ?? null;
}

function pixelSize(type: MediaType, content: Uint8Array): PixelSize | null {
  if (content.byteLength < 30) return null;
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  switch (type) {
    case 'image/png':
      return { width: view.getUint32(16), height: view.getUint32(20) };
    case 'image/gif':
      return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    case 'image/webp':
      return webpSize(view, latin(content, 12, 16));
    case 'image/jpeg':
      return jpegSize(view);
    case 'application/pdf':
      return null;
  }
}

function webpSize(view: DataView, kind: string): PixelSize | null {
  switch (kind) {
    case 'VP8X':
      return {
        width: 1 + (view.getUint32(24, true) & 0xffffff),
        height: 1 + (view.getUint32(26, true) >>> 8),
      };
    case 'VP8L': {
      const bits = view.getUint32(21, true);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case 'VP8 ':
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return null;
  }
}

/** The size stands in the start of its frame: markers C0 to CF, but for the three of them that mean something else. */
function jpegSize(view: DataView): PixelSize | null {
  for (let at = 2; at + 9 < view.byteLength; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint16(at);
    if (marker < 0xff00) return null;
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
  }
  return null;
}

/** One character a byte. */
function latin(content: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...content.subarray(from, to));
}

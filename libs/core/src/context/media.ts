/** What pictures and documents take of a window: by their pixels and pages. How long they are as base64 says nothing about it. */

/** The provider's rule: width x height / 750, after scaling down to what it looks at. */
const PIXELS_PER_TOKEN = 750;
const LONGEST_EDGE = 1_568;
const MAX_IMAGE_TOKENS = 1_600;

/** The text of a page, and the page as a picture. */
const TOKENS_PER_PAGE = 3_000;
/** Where the pages cannot be counted. */
const BYTES_PER_PAGE = 50_000;

/** How much base64 of a picture is looked at: in a JPEG, small pictures and colour profiles may stand in front of the size. */
const HEAD_CHARS = 320_000;

export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Tokens of a picture; of one whose size is not known, the most that one can take. */
export function imageTokens(size: PixelSize | null): number {
  if (size === null) return MAX_IMAGE_TOKENS;
  const scale = Math.min(1, LONGEST_EDGE / Math.max(size.width, size.height, 1));
  const pixels = size.width * scale * (size.height * scale);
  return Math.max(1, Math.min(MAX_IMAGE_TOKENS, Math.ceil(pixels / PIXELS_PER_TOKEN)));
}

/** Tokens of a PDF, given as base64. Pages that stand in compressed parts cannot be counted; its length stands for them. */
export function pdfTokens(base64: string): number {
  const bytes = bytesOf(base64);
  const pages = bytes.match(/\/Type\s*\/Page(?![a-zA-Z])/g)?.length;
  return (pages ?? Math.max(1, Math.ceil(bytes.length / BYTES_PER_PAGE))) * TOKENS_PER_PAGE;
}

/** Width and height of a PNG, GIF, JPEG or WebP, given as base64; null when they cannot be read. */
export function pixelSize(base64: string): PixelSize | null {
  const bytes = bytesOf(base64.slice(0, HEAD_CHARS));
  if (bytes.length < 30) return null;
  const view = new DataView(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)).buffer);
  if (bytes.startsWith('\u0089PNG')) return { width: view.getUint32(16), height: view.getUint32(20) };
  if (bytes.startsWith('GIF8')) return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (bytes.startsWith('RIFF')) return webpSize(view, bytes.slice(12, 16));
  return bytes.startsWith('\u00ff\u00d8') ? jpegSize(view) : null;
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

/** One character a byte; none when it is not base64. */
function bytesOf(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return ''; // Nobody can measure it; it counts as much as it can take.
  }
}

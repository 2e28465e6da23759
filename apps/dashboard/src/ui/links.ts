/** Addresses in plain text, as pieces: whoever shows them makes links of some, and text of the rest. */

export interface Piece {
  readonly text: string;
  /** Null: no address. */
  readonly href: string | null;
}

/** An address ends where it can't go on: at spaces, quotes and brackets of markup. */
const ADDRESS = /https?:\/\/[^\s<>"'`\\^{|}\p{Cc}]+/gu;
/** What ends a sentence or closes a bracket around the address is no part of it. */
const TRAILING = /[.,;:!?*_~)\]]+$/;

export function piecesOf(text: string): Piece[] {
  if (!text.includes('://')) return [{ text, href: null }];
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(ADDRESS)) {
    const address = withoutTrailing(match[0]);
    const href = safeHref(address);
    if (href === null) continue;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index), href: null });
    pieces.push({ text: address, href });
    end = match.index + address.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), href: null });
  return pieces;
}

/** The address if a link may go there: the web and mail, nothing that could run or read. */
export function safeHref(address: string): string | null {
  const url = URL.parse(address);
  return url !== null && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : null;
}

function withoutTrailing(address: string): string {
  const shorter = address.replace(TRAILING, '');
  // A bracket that was opened within the address belongs to it.
  const next = address[shorter.length];
  return next === ')' && shorter.includes('(') ? `${shorter})` : shorter;
}

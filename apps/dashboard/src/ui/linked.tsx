/** Plain text whose addresses are links. */
import type { ReactNode } from 'react';
import { piecesOf } from './links.js';
import { SafeLink } from './safe-link.js';

export function Linked({ text }: { text: string }): ReactNode {
  return piecesOf(text).map(({ text: piece, href }, index) =>
    href === null ? (
      piece
    ) : (
      <SafeLink key={index} address={href}>
        {piece}
      </SafeLink>
    ),
  );
}

/** Pictures as they are, small; documents by what they are. Each opens in a tab of its own, where nothing of it can run. */
import { mediaText, type Media } from '@bullpen/contracts';
import type { ReactNode } from 'react';

export function MediaList({ media }: { media: readonly Media[] }): ReactNode {
  if (media.length === 0) return null;
  return (
    <ul className="media">
      {media.map((one) => (
        <li key={one.sha256}>
          <a href={`/v1/attachments/${one.sha256}`} target="_blank" rel="noreferrer">
            {one.mediaType !== 'application/pdf' && (
              <img src={`/v1/attachments/${one.sha256}`} alt="" loading="lazy" />
            )}
            {mediaText(one)}
          </a>
        </li>
      ))}
    </ul>
  );
}

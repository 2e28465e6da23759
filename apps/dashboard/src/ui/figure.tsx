/** A figure of a page, with what it is and a word about it. */
import type { ReactNode } from 'react';

export function Figure({
  name,
  note,
  children,
}: {
  name: string;
  note: string;
  children: ReactNode;
}): ReactNode {
  return (
    <div className="fig">
      <span className="k">{name}</span>
      <span className="v">{children}</span>
      <span className="s">{note}</span>
    </div>
  );
}

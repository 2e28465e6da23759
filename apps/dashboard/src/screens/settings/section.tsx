/** A section of the settings: its rows, or why there are none. */
import type { ReactNode } from 'react';
import { FailureNote } from '../../ui/failure-text.js';

export function Section<Row>(props: {
  title: string;
  note?: string;
  actions?: ReactNode;
  rows: readonly Row[] | undefined;
  error: Error | null;
  none: string;
  children: (rows: readonly Row[]) => ReactNode;
}): ReactNode {
  const { title, note, actions, rows, error, none, children } = props;
  return (
    <section className="boxed" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {note !== undefined && <span className="dim trunc">{note}</span>}
        <span className="grow" />
        {actions}
      </header>
      {error !== null && rows === undefined && <FailureNote error={error} />}
      {rows?.length === 0 && <p className="pad dim">{none}</p>}
      {rows !== undefined && rows.length > 0 && children(rows)}
    </section>
  );
}

/** A part of the details of a task. */
import type { ReactNode } from 'react';

interface SectionProps {
  readonly title: string;
  readonly figure?: ReactNode;
  readonly end?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, figure, end, children }: SectionProps): ReactNode {
  return (
    <section className="sec">
      <header>
        <h2>{title}</h2>
        {figure}
        {end !== undefined && <span className="end">{end}</span>}
      </header>
      {children}
    </section>
  );
}

/** One figure in the head of a task, with its name. */
import type { ReactNode } from 'react';

interface FactProps {
  readonly name: string;
  readonly aside?: string | null | undefined;
  readonly value: ReactNode;
  readonly below?: string | undefined;
  readonly children?: ReactNode;
}

export function Fact({ name, aside, value, below, children }: FactProps): ReactNode {
  return (
    <div>
      <span className="k">
        <span>{name}</span>
        {aside && <span>{aside}</span>}
      </span>
      <span className="v">{value}</span>
      {children}
      {below !== undefined && <span className="k">{below}</span>}
    </div>
  );
}

/** A mode's name, which leads to it. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

export function ModeLink({ name }: { name: string }): ReactNode {
  return (
    <Link className="link" to="/modes" search={(before) => ({ ...before, mode: name })} resetScroll={false}>
      {name}
    </Link>
  );
}

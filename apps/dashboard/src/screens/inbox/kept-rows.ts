/**
 * The rows of the inbox while one looks at them: what was answered elsewhere stays, greyed, until one leaves the screen, so that nothing moves
 * under the pointer.
 */
import type { InteractionView } from '@bullpen/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bullpen } from '../../app/bullpen.js';

export function useKeptRows(pending: readonly InteractionView[] | undefined): readonly InteractionView[] {
  const [kept, keep] = useState<readonly InteractionView[]>([]);
  const rows = pending === undefined ? kept : merged(kept, pending);
  if (rows.length !== kept.length) keep(rows);
  const open = new Set(pending?.map(({ id }) => id));
  const gone = rows.filter(({ id }) => pending !== undefined && !open.has(id));
  const { data: closed = [] } = useQuery({
    queryKey: ['interactions', 'closed', gone.map(({ id }) => id)],
    enabled: gone.length > 0,
    queryFn: ({ signal }) => Promise.all(gone.map(({ id }) => bullpen.interactions.get(id, { signal }))),
    placeholderData: keepPreviousData,
  });
  const now = new Map([...(pending ?? []), ...closed].map((view) => [view.id, view]));
  return rows.map((row) => now.get(row.id) ?? row);
}

/** The rows that were there, in their places, and the new ones behind them. */
function merged(
  kept: readonly InteractionView[],
  pending: readonly InteractionView[],
): readonly InteractionView[] {
  const known = new Set(kept.map(({ id }) => id));
  const added = pending.filter(({ id }) => !known.has(id));
  return added.length === 0 ? kept : [...kept, ...added];
}

/** The rows of the list, what is selected of them, and the keys that go through them. */
import type { TaskFilter } from '@bullpen/client';
import type { TaskView } from '@bullpen/contracts';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useState, type ReactNode, type RefObject } from 'react';
import { useShortcuts } from '../../app/keys/shortcuts.js';
import type { BulkVerbName } from '../../ui/bulk/retry-how.js';
import { BulkBar } from './bulk-bar.js';
import type { ColumnChoice } from './table/columns.js';
import { TaskTable } from './table/task-table.js';

const NONE: ReadonlySet<string> = new Set();

export function Listed(props: {
  scroller: RefObject<HTMLElement | null>;
  rows: readonly TaskView[];
  gone: ReadonlySet<string>;
  hasMore: boolean;
  filter: TaskFilter;
  columns: ColumnChoice;
  onColumns: (choice: ColumnChoice) => void;
  onNearEnd: () => void;
}): ReactNode {
  const { rows, hasMore, filter } = props;
  const navigate = useNavigate();
  const [selected, select] = useState(NONE);
  const [at, setAt] = useState(-1);
  const [verb, choose] = useState<BulkVerbName | null>(null);
  const toggle = useCallback((id: string): void => select((before) => toggled(before, id)), []);
  const go = (by: number, selects = false): void => {
    const next = Math.min(Math.max(at + by, 0), rows.length - 1);
    const ids = [rows[at], rows[next]].flatMap((row) => row?.id ?? []);
    if (selects) select((before) => new Set([...before, ...ids]));
    setAt(next);
  };
  const chosen = rows[at];
  const retry = (): void => {
    if (selected.size === 0 && chosen === undefined) return;
    if (selected.size === 0 && chosen !== undefined) select(new Set([chosen.id]));
    choose('retry');
  };
  useShortcuts({
    j: () => go(1),
    k: () => go(-1),
    ArrowDown: ({ shiftKey }) => go(1, shiftKey),
    ArrowUp: ({ shiftKey }) => go(-1, shiftKey),
    x: () => chosen && toggle(chosen.id),
    ' ': () => chosen && toggle(chosen.id),
    r: retry,
    Enter: () => chosen && void navigate({ to: '/tasks/$taskId', params: { taskId: chosen.id } }),
    Escape: () => select(NONE),
  });
  return (
    <>
      <TaskTable
        {...props}
        at={at}
        selected={selected}
        onToggle={toggle}
        onToggleAll={() => select(selected.size === rows.length ? NONE : new Set(rows.map(({ id }) => id)))}
      />
      {selected.size > 0 && (
        <BulkBar
          tasks={rows.filter(({ id }) => selected.has(id))}
          filter={filter}
          hasMore={hasMore}
          verb={verb}
          onVerb={choose}
          onCleared={() => select(NONE)}
        />
      )}
    </>
  );
}

function toggled(selected: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(selected);
  if (!next.delete(id)) next.add(id);
  return next;
}

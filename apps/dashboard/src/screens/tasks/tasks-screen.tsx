/** All tasks, newest first: what they do, what they cost, and what to do about many of them. */
import type { TaskView } from '@bullpen/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef, useState, type ReactNode } from 'react';
import { useShortcuts } from '../../app/keys/shortcuts.js';
import { tasksQuery } from '../../app/queries/tasks.js';
import { serverNow } from '../../app/server-clock.js';
import { useTitle } from '../../app/title.js';
import { useText } from '../../i18n/texts.js';
import { Button, ButtonLink } from '../../ui/button.js';
import { FailureNote } from '../../ui/failure-text.js';
import { Loading } from '../../ui/loading.js';
import { BulkBar } from './bulk-bar.js';
import { filterOf, isFiltered } from './filter.js';
import { FilterBar } from './filter-bar.js';
import { FirstTask } from './first-task.js';
import { NoHit } from './no-hit.js';
import { TaskTable } from './task-table.js';
import { useSettledRows } from './use-settled-rows.js';
import { Views } from './views.js';

export function TasksScreen(): ReactNode {
  const t = useText();
  const search = useSearch({ from: '/tasks' });
  const filter = filterOf(search, serverNow());
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useInfiniteQuery(tasksQuery(filter));
  const current = data?.pages.flatMap((page) => page.data);
  const { rows, fresh, gone, showAll } = useSettledRows(JSON.stringify(filter), current);
  useTitle(t('nav.tasks'));
  const isNew = current?.length === 0 && !isFiltered(search);
  return (
    <>
      <div className="topbar">
        <h1>{t('nav.tasks')}</h1>
        {!isNew && <Views search={search} />}
        <span className="grow" />
        <ButtonLink kind="primary" icon="plus" to="/new" shortcut="C" className="only-wide">
          {t('nav.new')}
        </ButtonLink>
      </div>
      {!isNew && <FilterBar search={search} fresh={fresh} onShowFresh={showAll} />}
      <div className="body tasks-body">
        {error !== null && data === undefined && <FailureNote error={error} retry={() => void refetch()} />}
        {isPending && <Loading rows={3} />}
        {isNew && <FirstTask />}
        {current?.length === 0 && !isNew && rows.length === 0 && <NoHit search={search} />}
        {rows.length > 0 && (
          <Listed
            key={JSON.stringify(filter)}
            rows={rows}
            gone={gone}
            hasMore={hasNextPage}
            filter={filter}
          />
        )}
        {hasNextPage && (
          <div className="more">
            <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              {t('tasks.more')}
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

function Listed(props: {
  rows: readonly TaskView[];
  gone: ReadonlySet<string>;
  hasMore: boolean;
  filter: ReturnType<typeof filterOf>;
}): ReactNode {
  const { rows, gone, hasMore, filter } = props;
  const navigate = useNavigate();
  const [selected, select] = useState<readonly string[]>([]);
  const [at, setAt] = useState(-1);
  const table = useRef<HTMLTableSectionElement>(null);
  const go = (by: number): void => {
    const next = Math.min(Math.max(at + by, 0), rows.length - 1);
    setAt(next);
    table.current?.rows[next]?.scrollIntoView({ block: 'nearest' });
  };
  const toggle = (id: string): void =>
    select(selected.includes(id) ? selected.filter((other) => other !== id) : [...selected, id]);
  const chosen = rows[at];
  useShortcuts({
    j: () => go(1),
    k: () => go(-1),
    ArrowDown: () => go(1),
    ArrowUp: () => go(-1),
    x: () => chosen && toggle(chosen.id),
    Enter: () => chosen && void navigate({ to: '/tasks/$taskId', params: { taskId: chosen.id } }),
    Escape: () => select([]),
  });
  return (
    <>
      <TaskTable
        ref={table}
        rows={rows}
        gone={gone}
        at={at}
        selected={selected}
        onToggle={toggle}
        onToggleAll={() => select(selected.length === rows.length ? [] : rows.map(({ id }) => id))}
      />
      {selected.length > 0 && (
        <BulkBar
          tasks={rows.filter(({ id }) => selected.includes(id))}
          filter={filter}
          hasMore={hasMore}
          onCleared={() => select([])}
        />
      )}
    </>
  );
}

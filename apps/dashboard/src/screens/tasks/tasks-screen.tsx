/** All tasks, newest first: what they do, what they cost, and what to do about many of them. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useRef, useState, type ReactNode } from 'react';
import { useNextPage } from '../../app/queries/next-page.js';
import { tasksQuery } from '../../app/queries/tasks.js';
import { serverNow } from '../../app/server-clock.js';
import { useTitle } from '../../app/title.js';
import { useText } from '../../i18n/texts.js';
import { Button, ButtonLink } from '../../ui/button.js';
import { Unread } from '../../ui/unread.js';
import { filterOf, isFiltered } from './filter.js';
import { FilterBar } from './filter-bar.js';
import { FirstTask } from './first-task.js';
import { Listed } from './listed.js';
import { NoHit } from './no-hit.js';
import { useColumns } from './table/use-columns.js';
import { useSettledRows } from './use-settled-rows.js';
import { Views } from './views.js';

const ImportDialog = lazy(() => import('./import/import-dialog.js'));

export function TasksScreen(): ReactNode {
  const t = useText();
  const search = useSearch({ from: '/tasks' });
  const filter = filterOf(search, serverNow());
  const reading = useInfiniteQuery(tasksQuery(filter));
  const { data, hasNextPage, isFetchNextPageError } = reading;
  const { isReadingOn, readOn } = useNextPage(reading);
  const current = data?.pages.flatMap((page) => page.data);
  const { rows, fresh, gone, showAll } = useSettledRows(JSON.stringify(filter), current);
  const [columns, chooseColumns] = useColumns();
  const [isImporting, setImporting] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const atEnd = useCallback((): void => {
    // What failed is tried again by the button, and not by every move.
    if (!isReadingOn && !isFetchNextPageError) readOn();
  }, [isReadingOn, isFetchNextPageError, readOn]);
  useTitle(t('nav.tasks'));
  const isNew = current?.length === 0 && !isFiltered(search);
  return (
    <>
      <div className="topbar">
        <h1>{t('nav.tasks')}</h1>
        {!isNew && <Views search={search} />}
        <span className="grow" />
        <Button kind="quiet" className="only-wide" onClick={() => setImporting(true)}>
          {t('import.open')}
        </Button>
        <ButtonLink kind="primary" icon="plus" to="/new" shortcut="C" className="only-wide">
          {t('nav.new')}
        </ButtonLink>
      </div>
      <Suspense>{isImporting && <ImportDialog onClose={() => setImporting(false)} />}</Suspense>
      {!isNew && (
        <FilterBar
          search={search}
          fresh={fresh}
          onShowFresh={showAll}
          columns={columns}
          onColumns={chooseColumns}
        />
      )}
      <div className="body tasks-body" ref={scroller}>
        <Unread query={reading} />
        {isNew && <FirstTask />}
        {current?.length === 0 && !isNew && rows.length === 0 && <NoHit search={search} />}
        {rows.length > 0 && (
          <Listed
            key={JSON.stringify(filter)}
            scroller={scroller}
            rows={rows}
            gone={gone}
            hasMore={hasNextPage}
            filter={filter}
            columns={columns}
            onColumns={chooseColumns}
            onNearEnd={atEnd}
          />
        )}
        {hasNextPage && (
          <div className="more">
            <Button disabled={isReadingOn} onClick={readOn}>
              {t('tasks.more')}
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

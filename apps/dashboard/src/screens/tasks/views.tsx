/** Views of the list: a few that are always there, and those that were saved. */
import type { SavedView } from '@bullpen/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { viewsQuery } from '../../app/queries/views.js';
import type { TextKey } from '../../i18n/keys.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../../ui/button.js';
import { isFiltered, TasksSearch } from './filter.js';
import { ViewDialog } from './view-dialog.js';

const BUILT_IN: readonly (readonly [TextKey, TasksSearch])[] = [
  ['views.all', {}],
  ['views.needs', { state: 'needs' }],
  ['views.running', { state: 'running' }],
  ['views.failed', { state: 'failed', since: '24h' }],
];

export function Views({ search }: { search: TasksSearch }): ReactNode {
  const t = useText();
  const { data: saved = [] } = useQuery(viewsQuery);
  const [opened, open] = useState<'new' | SavedView | null>(null);
  const views = [
    ...BUILT_IN.map(([text, query]) => ({ key: text, name: t(text), query, saved: null })),
    ...saved
      .filter(({ screen }) => screen === 'tasks')
      .map((view) => ({
        key: view.id,
        name: view.name,
        query: TasksSearch.parse(unwritten(view.query)),
        saved: view,
      })),
  ];
  const shown = views.find(({ query }) => isSame(query, search));
  const own = shown?.saved?.mine === true ? shown.saved : null;
  return (
    <>
      <nav className="tabs only-wide" aria-label={t('views.label')}>
        {views.map(({ key, name, query }) => (
          <Link
            key={key}
            to="/tasks"
            search={query}
            aria-current={isSame(query, search) ? 'page' : undefined}
          >
            {name}
          </Link>
        ))}
      </nav>
      {isFiltered(search) && shown === undefined && (
        <Button kind="quiet" small className="only-wide" onClick={() => open('new')}>
          {t('views.save')}
        </Button>
      )}
      {own !== null && (
        <Button kind="quiet" small className="only-wide" onClick={() => open(own)}>
          {t('views.edit')}
        </Button>
      )}
      {opened !== null && (
        <ViewDialog
          view={opened === 'new' ? null : opened}
          query={written(search)}
          onClose={() => open(null)}
        />
      )}
    </>
  );
}

function written(search: TasksSearch): Record<string, string> {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
}

function unwritten(query: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([key, value]) => [key, value === 'true' ? true : value]),
  );
}

function isSame(a: TasksSearch, b: TasksSearch): boolean {
  return JSON.stringify(written(TasksSearch.parse(a))) === JSON.stringify(written(TasksSearch.parse(b)));
}

/** Views of the list: a few that are always there, and those that were saved. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { viewsQuery } from '../../app/queries/views.js';
import type { TextKey } from '../../i18n/keys.js';
import { useText } from '../../i18n/texts.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { TextField } from '../../ui/fields.js';
import { say } from '../../ui/toast.js';
import { isFiltered, TasksSearch } from './filter.js';

const BUILT_IN: readonly (readonly [TextKey, TasksSearch])[] = [
  ['views.all', {}],
  ['views.needs', { state: 'needs' }],
  ['views.running', { state: 'running' }],
  ['views.failed', { state: 'failed', since: '24h' }],
];

export function Views({ search }: { search: TasksSearch }): ReactNode {
  const t = useText();
  const { data: saved = [] } = useQuery(viewsQuery);
  const [isSaving, setSaving] = useState(false);
  const views = [
    ...BUILT_IN.map(([text, query]) => ({ key: text, name: t(text), query })),
    ...saved
      .filter(({ screen }) => screen === 'tasks')
      .map(({ id, name, query }) => ({ key: id, name, query: TasksSearch.parse(unwritten(query)) })),
  ];
  const isKnown = views.some(({ query }) => isSame(query, search));
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
      {isFiltered(search) && !isKnown && (
        <Button kind="quiet" small className="only-wide" onClick={() => setSaving(true)}>
          {t('views.save')}
        </Button>
      )}
      {isSaving && <SaveView search={search} onClose={() => setSaving(false)} />}
    </>
  );
}

function SaveView({ search, onClose }: { search: TasksSearch; onClose: () => void }): ReactNode {
  const t = useText();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const saving = useMutation({
    mutationFn: () => bullpen.views.create({ name: name.trim(), screen: 'tasks', query: written(search) }),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: viewsQuery.queryKey });
      say(t('views.saved', { name: name.trim() }));
      onClose();
    },
    onError: (error) => say(error.message),
  });
  const save = (): void => {
    if (name.trim() !== '') saving.mutate();
  };
  return (
    <Dialog
      title={t('views.saveTitle')}
      onClose={onClose}
      footer={
        <>
          <Button kind="primary" disabled={name.trim() === '' || saving.isPending} onClick={save}>
            {t('views.saveDo')}
          </Button>
          <Button onClick={onClose}>{t('action.notNow')}</Button>
        </>
      }
    >
      <TextField label={t('views.name')} value={name} onChange={setName} onSubmit={save} />
    </Dialog>
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

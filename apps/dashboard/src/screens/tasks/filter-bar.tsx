/** What is listed: words, and a few switches. Each change is in the address. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { useShortcuts } from '../../app/keys/shortcuts.js';
import { agentsQuery } from '../../app/queries/system.js';
import { useText } from '../../i18n/texts.js';
import { Key } from '../../ui/button.js';
import { ChipSelect } from '../../ui/chip-select.js';
import { Icon } from '../../ui/icon.js';
import { useQuiet } from '../../ui/use-quiet.js';
import type { TasksSearch } from './filter.js';
import { FreshPill } from './fresh-pill.js';
import { ColumnMenu } from './table/column-menu.js';
import type { ColumnChoice } from './table/columns.js';

const STATES = [
  'needs',
  'running',
  'queued',
  'waiting',
  'paused',
  'completed',
  'failed',
  'cancelled',
] as const;
const SPANS = ['1h', '24h', '7d'] as const;

export function FilterBar(props: {
  search: TasksSearch;
  fresh: number;
  onShowFresh: () => void;
  columns: ColumnChoice;
  onColumns: (choice: ColumnChoice) => void;
}): ReactNode {
  const { search, fresh, onShowFresh, columns, onColumns } = props;
  const t = useText();
  const navigate = useNavigate({ from: '/tasks' });
  const { data: agents = [] } = useQuery(agentsQuery);
  const bar = useRef<HTMLDivElement>(null);
  useShortcuts({ f: () => bar.current?.querySelector<HTMLElement>('.chip')?.focus() });
  const change = (part: Partial<TasksSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  return (
    <div className="filters" role="search" ref={bar}>
      <Words text={search.q ?? ''} onChange={(q) => change({ q: q === '' ? undefined : q })} />
      <button
        type="button"
        className="chip"
        aria-pressed={search.all !== true}
        onClick={() => change({ all: search.all === true ? undefined : true })}
      >
        {t('filter.roots')}
      </button>
      <ChipSelect
        label={t('tasks.state')}
        value={search.state}
        options={STATES.map((value) => ({
          value,
          label: t(value === 'needs' ? 'filter.needs' : `state.${value}`),
        }))}
        onChange={(state) => change({ state })}
      />
      <ChipSelect
        label={t('tasks.agent')}
        value={search.agent}
        options={agents.map(({ name }) => ({ value: name, label: name }))}
        onChange={(agent) => change({ agent })}
      />
      <ChipSelect
        label={t('filter.changed')}
        value={search.since}
        options={SPANS.map((value) => ({ value, label: t(`filter.${value}`) }))}
        onChange={(since) => change({ since })}
      />
      {search.tag !== undefined && (
        <DropChip text={`${t('filter.tag')} ${search.tag}`} onDrop={() => change({ tag: undefined })} />
      )}
      {search.failure !== undefined && (
        <DropChip text={t('filter.failure')} onDrop={() => change({ failure: undefined })} />
      )}
      <button
        type="button"
        className="chip"
        aria-pressed={search.archived === true}
        onClick={() => change({ archived: search.archived === true ? undefined : true })}
      >
        {t('filter.archived')}
      </button>
      <span className="grow" />
      {fresh > 0 && <FreshPill n={fresh} onClick={onShowFresh} />}
      <ColumnMenu choice={columns} onChange={onColumns} />
    </div>
  );
}

function Words({ text, onChange }: { text: string; onChange: (text: string) => void }): ReactNode {
  const t = useText();
  const field = useRef<HTMLInputElement>(null);
  const [typed, type] = useState(text);
  const quiet = useQuiet(typed);
  const sent = useRef(text);
  useEffect(() => {
    // A view or a button gave other words: they count, and not what was typed before.
    if (text === sent.current) return;
    sent.current = text;
    type(text);
  }, [text]);
  useEffect(() => {
    if (quiet === sent.current) return;
    sent.current = quiet;
    onChange(quiet);
  }, [quiet]);
  useShortcuts({ '/': () => field.current?.focus() });
  return (
    <label className="field search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        value={typed}
        placeholder={t('filter.search')}
        aria-label={t('filter.search')}
        onChange={({ target }) => type(target.value)}
      />
      <Key name="/" />
    </label>
  );
}

function DropChip({ text, onDrop }: { text: string; onDrop: () => void }): ReactNode {
  const t = useText();
  return (
    <button type="button" className="chip on" onClick={onDrop} title={t('filter.drop')}>
      {text}
      <span className="x">
        <Icon name="x" small />
      </span>
    </button>
  );
}

/** What waits for the person who looks, oldest first, with the chosen one beside it. On a phone one after the other. */
import type { InteractionKind, InteractionView } from '@bullpen/contracts';
import { age } from '@bullpen/client';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useShortcuts } from '../../app/keys/shortcuts.js';
import { useNow } from '../../app/now.js';
import { pendingQuery } from '../../app/queries/interactions.js';
import { useTitle } from '../../app/title.js';
import { useText, withTexts } from '../../i18n/texts.js';
import { IconButton } from '../../ui/button.js';
import { Unread } from '../../ui/unread.js';
import { Loading } from '../../ui/loading.js';
import { AskRow } from './ask-row.js';
import { KindSwitch } from './kind-switch.js';
import { NothingWaits } from './nothing-waits.js';
import { useKeptRows } from './kept-rows.js';
import { neighbour, rangeTo } from './selection.js';

const BulkAnswers = lazy(async () => ({
  default: (await withTexts(() => import('./bulk-answers.js'))).BulkAnswers,
}));
const Ask = lazy(async () => ({ default: (await withTexts(() => import('../../ui/ask/ask.js'))).Ask }));

export function InboxScreen(): ReactNode {
  const { kind, ask: chosenId } = useSearch({ from: '/inbox' });
  const navigate = useNavigate({ from: '/inbox' });
  useTitle(useText()('nav.inbox'));
  const reading = useQuery(pendingQuery);
  const { data } = reading;
  const rows = useKeptRows(data?.data).filter((view) => kind === undefined || view.kind === kind);
  const [selected, select] = useState<readonly string[]>([]);
  const pending = rows.filter(({ state }) => state === 'pending');
  const chosen = rows.find(({ id }) => id === chosenId) ?? pending[0];
  const choose = (id: string | undefined): void =>
    void navigate({ search: (search) => ({ ...search, ask: id }), replace: true });
  const toggle = (id: string): void =>
    select(selected.includes(id) ? selected.filter((other) => other !== id) : [...selected, id]);
  const move = (by: number): void => choose(neighbour(rows, chosen?.id, by)?.id);
  const extend = (by: number): void => {
    const next = neighbour(rows, chosen?.id, by);
    if (next === undefined || chosen === undefined) return;
    select(rangeTo(rows, selected, chosen.id, next.id));
    choose(next.id);
  };
  /** To what waits next, or on a phone back to the list when nothing does. */
  const goOn = ({ id }: InteractionView): void => {
    const at = pending.findIndex((view) => view.id === id);
    choose((pending[at + 1] ?? pending[at - 1])?.id);
  };
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: ({ shiftKey }) => (shiftKey ? extend(1) : move(1)),
    ArrowUp: ({ shiftKey }) => (shiftKey ? extend(-1) : move(-1)),
    x: () => chosen !== undefined && toggle(chosen.id),
    Escape: () => select([]),
  });
  const isOpen = chosenId !== undefined && chosen !== undefined;
  return (
    <div className={isOpen ? 'inbox opened' : 'inbox'}>
      <InboxBar all={data?.data ?? []} kind={kind} />
      <Unread query={reading} />
      {data !== undefined && rows.length === 0 && <NothingWaits isFiltered={kind !== undefined} />}
      {rows.length > 0 && (
        <div className="two">
          <InboxList
            rows={rows}
            chosenId={chosen?.id}
            selected={selected}
            onToggle={toggle}
            onCleared={() => select([])}
          />
          {chosen === undefined ? (
            <NothingWaits isFiltered={false} />
          ) : (
            <section className="detail" aria-label={chosen.title}>
              <PhoneBar rows={pending} chosen={chosen} onMove={move} onBack={() => choose(undefined)} />
              <Suspense fallback={<Loading rows={3} />}>
                <Ask view={chosen} layout="page" hasKeys onAnswered={goOn} />
              </Suspense>
            </section>
          )}
        </div>
      )}
    </div>
  );
}

function InboxBar({
  all,
  kind,
}: {
  all: readonly InteractionView[];
  kind: InteractionKind | undefined;
}): ReactNode {
  const t = useText();
  const now = useNow();
  const oldest = all[0];
  return (
    <div className="topbar root">
      <h1>{t('nav.inbox')}</h1>
      {oldest !== undefined && (
        <span className="dim num trunc">
          {t('inbox.waits', { n: all.length, age: age(oldest.createdAt, now) })}
        </span>
      )}
      <span className="grow" />
      <KindSwitch all={all} kind={kind} />
    </div>
  );
}

function InboxList(props: {
  rows: readonly InteractionView[];
  chosenId: string | undefined;
  selected: readonly string[];
  onToggle: (id: string) => void;
  onCleared: () => void;
}): ReactNode {
  const { rows, chosenId, selected, onToggle, onCleared } = props;
  const t = useText();
  const chosenRows = rows.filter(({ id, state }) => selected.includes(id) && state === 'pending');
  return (
    <section className="list" aria-label={t('inbox.list')}>
      <ul className="rows">
        {rows.map((view) => (
          <AskRow
            key={view.id}
            view={view}
            isChosen={view.id === chosenId}
            isSelected={selected.includes(view.id)}
            onToggle={() => onToggle(view.id)}
          />
        ))}
      </ul>
      {chosenRows.length > 0 && (
        <Suspense>
          <BulkAnswers views={chosenRows} onCleared={onCleared} />
        </Suspense>
      )}
    </section>
  );
}

function PhoneBar(props: {
  rows: readonly InteractionView[];
  chosen: InteractionView;
  onMove: (by: number) => void;
  onBack: () => void;
}): ReactNode {
  const { rows, chosen, onMove, onBack } = props;
  const t = useText();
  const place = rows.findIndex(({ id }) => id === chosen.id) + 1;
  return (
    <div className="topbar only-phone">
      <IconButton icon="left" label={t('inbox.back')} onClick={onBack} />
      {place > 0 && <span className="strong num">{t('inbox.place', { n: place, m: rows.length })}</span>}
      <span className="grow" />
      <IconButton icon="up" label={t('inbox.previous')} onClick={() => onMove(-1)} />
      <IconButton icon="down" label={t('inbox.next')} onClick={() => onMove(1)} />
    </div>
  );
}

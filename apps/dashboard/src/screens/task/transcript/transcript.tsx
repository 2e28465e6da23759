/** The transcript of a task: a list that draws what is seen, opens at its end, follows it, and holds still what is being read. */
import type { Row } from '@bullpen/client';
import type { InteractionView } from '@bullpen/contracts';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useContext, useEffect, useLayoutEffect, useMemo, useRef, type ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Button } from '../../../ui/button.js';
import { useShownTask } from '../task-context.js';
import type { Match } from './find.js';
import { FindBar } from './find-bar.js';
import { NEAR_END, useFollowing } from './follow.js';
import { ItemView } from './item-view.js';
import { itemsOf, type Item } from './items.js';
import { useHighlight } from './highlight.js';
import { noteOf } from './note-text.js';
import { OpenCardsContext } from './open-cards.js';
import { useCursor } from './use-cursor.js';
import { useFind } from './use-find.js';
import { useOpenAt } from './use-open-at.js';
import type { Snapshot, TranscriptStore } from './transcript-store.js';

interface TranscriptProps {
  readonly store: TranscriptStore;
  readonly view: Snapshot;
  /** What waits for a person in the whole tree. */
  readonly asks: readonly InteractionView[];
  readonly isOver: boolean;
  /** Whether something is sought; and that it is no longer. */
  readonly finds: boolean;
  readonly onFound: () => void;
}

/** Height of a row that was not yet drawn, in px. */
const GUESS = 72;
/** Older events are read when one comes so close to the first, in px. */
const NEAR_START = 600;

export function Transcript({ store, view, asks, isOver, finds, onFound }: TranscriptProps): ReactNode {
  const t = useText();
  const scroller = useRef<HTMLDivElement>(null);
  const items = useItems(view, asks);
  const { follows, follow } = useFollowing(scroller);
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => items[index]?.key ?? index,
    estimateSize: () => GUESS,
    overscan: 4,
    gap: 16,
    paddingStart: view.older > 0 ? 48 : 16,
    paddingEnd: 16,
    anchorTo: 'end',
    // Whether the end is followed is for the person to say, and not for how near it happens to be.
    scrollEndThreshold: follows ? NEAR_END : -1,
  });
  const size = virtualizer.getTotalSize();
  useLayoutEffect(() => {
    if (follows && items.length > 0) virtualizer.scrollToEnd();
  }, [virtualizer, follows, items.length, size]);
  useOlder(store, view, !follows && (virtualizer.scrollOffset ?? Infinity) < NEAR_START);
  const shown = virtualizer.getVirtualItems();
  const find = useFind(store);
  const match = find.matches[find.at];
  useShowing(match, items, (index) => {
    follow(false);
    virtualizer.scrollToIndex(index, { align: 'center' });
  });
  useHighlight(scroller, finds ? find.query : '', `${shown[0]?.key} ${shown.at(-1)?.key} ${find.at}`);
  const cursor = useCursor(items, scroller, (index) => {
    follow(index === items.length - 1);
    virtualizer.scrollToIndex(index, { align: 'auto' });
  });
  useOpenAt(store, view, items, (index, key) => {
    follow(false);
    cursor.move(key);
    virtualizer.scrollToIndex(index, { align: 'center' });
  });
  const endFind = (): void => {
    find.seek('');
    onFound();
  };
  return (
    <div className="log-frame">
      {finds && <FindBar find={find} onClose={endFind} />}
      <div
        className="log"
        ref={scroller}
        role="log"
        aria-label={t('task.transcript')}
        aria-live="off"
        tabIndex={0}
      >
        <div className="log-space" style={{ height: size }}>
          {view.older > 0 && <Older store={store} view={view} />}
          <div className="flow" style={{ transform: `translateY(${shown[0]?.start ?? 0}px)` }}>
            {shown.map(({ key, index }) => (
              <div
                key={key}
                data-index={index}
                data-at={key === cursor.at || undefined}
                ref={virtualizer.measureElement}
                className="flow-item"
              >
                <ItemOf item={items[index]} isOver={isOver} match={match} />
              </div>
            ))}
          </div>
        </div>
      </div>
      {!follows && <FollowPill view={view} onFollow={() => follow(true)} />}
    </div>
  );
}

/** Reads older events when one comes near the first. */
function useOlder(store: TranscriptStore, view: Snapshot, isNear: boolean): void {
  useEffect(() => {
    if (isNear && view.state === 'open' && view.older > 0 && !view.readsOlder && view.error === null)
      store.readOlder().catch(() => undefined);
  });
}

/** Opens what holds a match, and goes there; once, so that nobody is taken back by what comes later. */
function useShowing(match: Match | undefined, items: readonly Item[], go: (index: number) => void): void {
  const cards = useContext(OpenCardsContext);
  useEffect(() => {
    if (match === undefined) return;
    if (match.card !== null) cards.set(match.card, true);
    const index = items.findIndex((item) => isIn(item, match));
    const item = items[index];
    if (item === undefined) return;
    if (item.kind === 'reads') cards.set(`reads ${item.rows[0]?.key}`, true);
    go(index);
  }, [match]);
}

function isIn(item: Item, match: Match): boolean {
  return item.kind !== 'ask' && item.rows.some(({ key }) => key === match.key);
}

/** Stored rows change seldom: they are put together once. Behind them comes what subtasks ask, and what is said right now. */
function useItems({ stored, live }: Snapshot, asks: readonly InteractionView[]): readonly Item[] {
  const t = useText();
  const { task, tree } = useShownTask();
  const lasting = useMemo(
    () => itemsOf(stored.filter((row) => row.kind !== 'note' || noteOf(row.event, t) !== null)),
    [stored, t],
  );
  const below = useMemo(
    () =>
      asks
        .filter(({ taskId }) => taskId !== task.id && tree.get(taskId)?.path.includes(task.id))
        .map(askItem),
    [asks, task.id, tree],
  );
  return useMemo(() => [...lasting, ...below, ...live.map(liveItem)], [lasting, below, live]);
}

function askItem({ id, taskTitle }: InteractionView): Item {
  return { kind: 'ask', key: id, taskTitle };
}

function liveItem(row: Row): Item {
  return { kind: 'row', key: row.key, rows: [row] };
}

function ItemOf(props: { item: Item | undefined; isOver: boolean; match: Match | undefined }): ReactNode {
  const { item, isOver, match } = props;
  if (item === undefined) return null;
  const found = match?.line != null && isIn(item, match) ? match : undefined;
  return <ItemView item={item} isOver={isOver} found={found} />;
}

function Older({ store, view }: { store: TranscriptStore; view: Snapshot }): ReactNode {
  const t = useText();
  return (
    <div className="log-older">
      <Button
        kind="quiet"
        small
        disabled={view.readsOlder}
        onClick={() => void store.readOlder().catch(() => undefined)}
      >
        {view.error !== null ? t('task.olderFailed') : t('task.older', { n: view.older })}
      </Button>
    </div>
  );
}

/** Says how much came while one read further up. */
function FollowPill({ view, onFollow }: { view: Snapshot; onFollow: () => void }): ReactNode {
  const t = useText();
  // Older ones that are read meanwhile are not new.
  const since = useRef(view.stored.at(-1)?.seq ?? 0);
  const last = view.stored.findLastIndex(({ seq }) => seq <= since.current);
  const fresh = view.stored.length - 1 - last;
  return (
    <button type="button" className="newpill tail" onClick={onFollow}>
      {fresh > 0 ? t('task.followNew', { n: fresh }) : t('task.follow')}
    </button>
  );
}

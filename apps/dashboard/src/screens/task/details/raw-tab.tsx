/** Both histories as they are stored: what people saw, and what the model is sent. Page by page, each item drawn when it is opened. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { bullpen } from '../../../app/bullpen.js';
import { useNextPage } from '../../../app/queries/next-page.js';
import { useText } from '../../../i18n/texts.js';
import { Button } from '../../../ui/button.js';
import { CopyButton } from '../../../ui/copy-button.js';
import { FailureNote } from '../../../ui/failure-text.js';
import { Output } from '../../../ui/output/output.js';
import { Clock } from '../../../ui/time.js';
import { useTaskId } from '../task-context.js';
import { Fold } from '../transcript/fold.js';
import { Segments } from './segments.js';

const HISTORIES = ['ui', 'api'] as const;
const PAGE = 100;

export function RawTab(): ReactNode {
  const t = useText();
  const [history, show] = useState<(typeof HISTORIES)[number]>('ui');
  return (
    <div className="tab-body">
      <div className="row tab-head">
        <span className="mid">{t(`raw.${history}How`)}</span>
        <span className="grow" />
        <Segments
          label={t('raw.which')}
          options={HISTORIES.map((value) => ({ value, text: t(`raw.${value}`) }))}
          value={history}
          onChange={show}
        />
      </div>
      {history === 'ui' ? <UiHistory /> : <ApiHistory />}
    </div>
  );
}

function UiHistory(): ReactNode {
  const taskId = useTaskId();
  const reading = useInfiniteQuery({
    queryKey: ['raw', taskId, 'ui'],
    queryFn: ({ pageParam, signal }) =>
      bullpen.tasks.uiHistory(taskId, { after: pageParam, limit: PAGE, signal }),
    initialPageParam: 0,
    getNextPageParam: (page) => (page.hasMore ? page.data.at(-1)?.seq : undefined),
  });
  const { data, error, hasNextPage } = reading;
  const { readOn } = useNextPage(reading);
  const items = data?.pages.flatMap((page) =>
    page.data.map((event): RawItem => ({ key: event.seq, name: event.type, at: event.at, value: event })),
  );
  return <RawList items={items ?? []} error={error} more={hasNextPage ? readOn : null} />;
}

function ApiHistory(): ReactNode {
  const taskId = useTaskId();
  const reading = useInfiniteQuery({
    queryKey: ['raw', taskId, 'api'],
    queryFn: ({ pageParam, signal }) =>
      bullpen.tasks.apiHistory(taskId, {
        limit: PAGE,
        signal,
        ...(pageParam !== null && { after: pageParam }),
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  const { data, error, hasNextPage } = reading;
  const { readOn } = useNextPage(reading);
  const items = data?.pages.flatMap((page) =>
    page.data.map((message): RawItem => {
      const name = `${message.role}: ${message.content.map(({ type }) => type).join(', ')}`;
      return { key: message.seq, name, at: message.createdAt, value: message };
    }),
  );
  return <RawList items={items ?? []} error={error} more={hasNextPage ? readOn : null} />;
}

interface RawItem {
  readonly key: number;
  readonly name: string;
  readonly at: string;
  readonly value: object;
}

interface RawListProps {
  readonly items: readonly RawItem[];
  readonly more: (() => void) | null;
  readonly error: Error | null;
}

function RawList({ items, more, error }: RawListProps): ReactNode {
  const t = useText();
  if (error !== null) return <FailureNote error={error} />;
  return (
    <div className="boxed raw" tabIndex={0}>
      <ol>
        {items.map((item) => (
          <RawRow key={item.key} item={item} />
        ))}
      </ol>
      {more !== null && (
        <Button kind="quiet" onClick={more}>
          {t('raw.more')}
        </Button>
      )}
    </div>
  );
}

function RawRow({ item }: { item: RawItem }): ReactNode {
  const [isOpen, open] = useState(false);
  return (
    <li>
      <div className="row raw-row">
        <Fold isOpen={isOpen} onToggle={() => open(!isOpen)}>
          <span className="num dim">{item.key}</span> <span className="mono trunc">{item.name}</span>
        </Fold>
        <span className="grow" />
        <Clock at={item.at} />
      </div>
      {isOpen && <RawJson value={item.value} />}
    </li>
  );
}

function RawJson({ value }: { value: object }): ReactNode {
  const text = JSON.stringify(value, null, 2);
  return (
    <div className="raw-json">
      <CopyButton text={text} />
      <Output text={text} />
    </div>
  );
}

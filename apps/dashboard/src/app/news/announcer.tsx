/** The one polite region of the page: at most one message in five seconds, summed up, and never what streams. */
import type { StreamItem } from '@bullpen/client';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { useLiveItems } from '../live/live-context.js';
import { pendingQuery } from '../queries/interactions.js';
import { heard, NOTHING, partsOf } from './news.js';

const QUIET_MS = 5_000;

export default function Announcer({ shown }: { shown: string | null }): ReactNode {
  const t = useText();
  const queries = useQueryClient();
  const news = useRef(NOTHING);
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const [message, say] = useState('');
  const tell = useCallback((): void => {
    timer.current = null;
    const waits = queries.getQueryData(pendingQuery.queryKey)?.data.length ?? 0;
    const parts = partsOf(news.current, waits);
    news.current = NOTHING;
    if (parts.length > 0) say(parts.map(([key, values]) => t(key, values)).join(' '));
  }, [queries, t]);
  const hear = useCallback(
    (item: StreamItem): void => {
      news.current = heard(news.current, item, shown);
      if (news.current !== NOTHING) timer.current ??= setTimeout(tell, QUIET_MS);
    },
    [tell, shown],
  );
  useLiveItems(hear);
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
  return (
    <div className="vh" role="status" aria-live="polite">
      {message}
    </div>
  );
}

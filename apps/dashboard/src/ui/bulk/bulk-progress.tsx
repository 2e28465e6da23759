/** How far a bulk action is, and why it was refused where it was. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { bullpen } from '../../app/bullpen.js';
import { bulkActionQuery } from '../../app/queries/bulk.js';
import { useText } from '../../i18n/texts.js';
import { FailureNote } from '../failure-text.js';
import { Meter } from '../meter.js';

export function BulkProgress({ id }: { id: string }): ReactNode {
  const t = useText();
  const { data, error } = useQuery(bulkActionQuery(id));
  const { data: refused } = useQuery({
    queryKey: ['bulk', id, 'refused'],
    enabled: (data?.refused ?? 0) > 0 && data?.state !== 'running',
    queryFn: ({ signal }) => bullpen.bulkActions.items(id, { state: 'refused', limit: 20 }, { signal }),
  });
  if (error !== null) return <FailureNote error={error} />;
  if (data === undefined) return null;
  const tried = data.total - data.left;
  const text = t('bulk.progress', { n: tried, m: data.total });
  return (
    <div role="status">
      <p>{data.state === 'running' ? text : t('bulk.ended', { n: data.done, m: data.refused })}</p>
      <Meter share={data.total === 0 ? 1 : tried / data.total} label={text} plain />
      {refused !== undefined && (
        <ul className="mini">
          {refused.data.map(({ taskId, title, reason }) => (
            <li key={taskId}>
              <span className="trunc">{title ?? taskId}</span>
              <span className="dim">{reason}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

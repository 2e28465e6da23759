/** What can be done to all that are selected, or to all that fit. Each shows first what it would do, in figures. */
import type { TaskFilter } from '@bullpen/client';
import type { CreateBulkActionInput, TaskView } from '@bullpen/contracts';
import { isTerminal } from '@bullpen/contracts';
import { useState, type ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Button, IconButton } from '../../ui/button.js';
import { BulkDialog } from '../../ui/bulk/bulk-dialog.js';
import type { BulkVerbName } from '../../ui/bulk/retry-how.js';

export function BulkBar(props: {
  tasks: readonly TaskView[];
  filter: TaskFilter;
  hasMore: boolean;
  /** What is about to be done; null: nothing. */
  verb: BulkVerbName | null;
  onVerb: (verb: BulkVerbName | null) => void;
  onCleared: () => void;
}): ReactNode {
  const { tasks, filter, hasMore, verb, onVerb: choose, onCleared } = props;
  const t = useText();
  const [takesAll, takeAll] = useState(false);
  const which: Which = takesAll ? { filter: bodyOf(filter) } : { ids: tasks.map(({ id }) => id) };
  const canRetry = takesAll || tasks.some(({ state }) => isTerminal(state));
  const archives = filter.archived === 'only' ? 'unarchive' : 'archive';
  const canCancel = takesAll || tasks.some(({ state }) => !isTerminal(state));
  return (
    <div className="bulk-float">
      <div className="bulk" role="toolbar" aria-label={t('bulk.selected', { n: tasks.length })}>
        <span className="strong num">
          {takesAll ? t('bulk.all') : t('bulk.selected', { n: tasks.length })}
        </span>
        {hasMore && !takesAll && (
          <Button kind="quiet" small onClick={() => takeAll(true)}>
            {t('bulk.takeAll')}
          </Button>
        )}
        {canRetry && (
          <Button kind="primary" small icon="retry" shortcut="R" onClick={() => choose('retry')}>
            {t('bulk.retry')}
          </Button>
        )}
        {canRetry && (
          <Button small onClick={() => choose(archives)}>
            {t(`bulk.${archives}`)}
          </Button>
        )}
        {canCancel && (
          <Button kind="danger" small onClick={() => choose('cancel')}>
            {t('bulk.cancel')}
          </Button>
        )}
        <IconButton icon="x" small label={t('bulk.clear')} onClick={onCleared} />
      </div>
      {verb !== null && (
        <BulkDialog verb={verb} which={which} onClose={() => choose(null)} onStarted={onCleared} />
      )}
    </div>
  );
}

type Which = Pick<CreateBulkActionInput, 'filter' | 'ids'>;

/** The filter as a body takes it. */
function bodyOf({ limit: _limit, after: _after, trees: _trees, ...filter }: TaskFilter): Which['filter'] {
  return filter;
}

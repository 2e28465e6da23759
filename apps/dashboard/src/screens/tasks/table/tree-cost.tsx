/** What the whole tree has cost, and how much of its budget that is. */
import { usd } from '@bullpen/client';
import type { TaskView } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Meter } from '../../../ui/meter.js';
import { Money } from '../../../ui/money.js';

export function TreeCost({ task }: { task: TaskView }): ReactNode {
  const t = useText();
  const cost = task.tree?.costUsd ?? task.usage.costUsd;
  const unpriced = task.tree?.unpricedCalls ?? task.usage.unpricedCalls;
  const limit = task.parentId === null ? task.limits.costUsd : null;
  if (unpriced > 0 && Number(cost) === 0) return <span className="dim">{t('cost.notPriced')}</span>;
  return (
    <>
      <Money usd={cost} />
      {limit !== null && (
        <Meter
          share={Number(cost) / Number(limit)}
          label={t('tasks.ofBudget', { cost: usd(cost), limit: usd(limit) })}
        />
      )}
    </>
  );
}

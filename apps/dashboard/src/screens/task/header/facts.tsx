/** The figures of a task: cost, context, subtasks, time, turns, agent. */
import { duration, usd } from '@bullpen/client';
import type { ContextSize, TaskUsageView, TaskView } from '@bullpen/contracts';
import { isTerminal } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Cost } from '../../../ui/money.js';
import { Span } from '../../../ui/time.js';
import { budgetOf, kidsOf, type Budget } from '../standing.js';
import { useShownTask } from '../task-context.js';
import { ContextFact } from './context-fact.js';
import { Fact } from './fact.js';

interface FactsProps {
  readonly task: TaskView;
  readonly usage: TaskUsageView | undefined;
  readonly context: ContextSize | null;
}

export function Facts({ task, usage, context }: FactsProps): ReactNode {
  return (
    <div className="facts">
      <CostFact task={task} usage={usage} />
      <ContextFact context={context} />
      <KidsFact task={task} />
      <TimeFact task={task} />
      <TurnFact task={task} />
      <AgentFact task={task} />
    </div>
  );
}

function CostFact({ task, usage }: Omit<FactsProps, 'context'>): ReactNode {
  const t = useText();
  if (usage === undefined) return <Fact name={t('fact.cost')} value={<Cost usage={task.usage} />} />;
  const budget = budgetOf(usage, task.parentId === null);
  const isHeld = Number(usage.budget.reservedUsd) > 0;
  return (
    <Fact
      name={t('fact.cost')}
      aside={
        isHeld
          ? t('fact.held', { amount: usd(usage.budget.reservedUsd) })
          : budget && `${Math.round(budget.spent)}%`
      }
      value={
        <>
          <b>
            <Cost usage={usage.tree} />
          </b>{' '}
          <span className="dim">
            {budget !== null &&
              task.parentId === null &&
              `${t('fact.of', { limit: usd(budget.limitUsd) })} · `}
            {t('fact.own', { amount: usd(usage.own.costUsd) })}
          </span>
        </>
      }
    >
      {budget !== null && task.parentId === null && <BudgetMeter budget={budget} />}
    </Fact>
  );
}

function BudgetMeter({ budget }: { budget: Budget }): ReactNode {
  const t = useText();
  const { own, rest, held, spent, look } = budget;
  const [ownLook, restLook] = look === 'fine' ? ['own', 'tree'] : [look, look];
  return (
    <span
      className="meter"
      role="meter"
      aria-valuenow={Math.round(spent)}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-label={t('fact.budget')}
      aria-valuetext={t('fact.budgetSpent', { spent: Math.round(spent), own: Math.round(own) })}
    >
      <i className={ownLook} style={{ width: `${own}%` }} />
      <i className={restLook} style={{ width: `${rest}%` }} />
      <i className="res" style={{ width: `${held}%` }} />
    </span>
  );
}

function KidsFact({ task }: { task: TaskView }): ReactNode {
  const t = useText();
  const { tree } = useShownTask();
  const { all, done, looks } = kidsOf(tree.values(), task.id);
  if (all === 0)
    return <Fact name={t('fact.subtasks')} value={<span className="dim">{t('fact.none')}</span>} />;
  return (
    <Fact
      name={t('fact.subtasks')}
      value={
        <>
          <b>{done}</b> <span className="dim">{t('fact.ofDone', { all })}</span>
        </>
      }
    >
      <span className="kids" aria-hidden="true">
        {looks.slice(0, MOST_KIDS).map((look, index) => (
          <i key={index} className={`kid-${look}`} />
        ))}
      </span>
    </Fact>
  );
}

/** More bars than that cannot be told apart. */
const MOST_KIDS = 40;

function TimeFact({ task }: { task: TaskView }): ReactNode {
  const t = useText();
  return (
    <Fact
      name={t('fact.time')}
      value={
        <b>
          <Span from={task.startedAt ?? task.createdAt} to={task.endedAt} />
        </b>
      }
      below={
        task.activeMs > 0 || isTerminal(task.state)
          ? t('fact.atWork', { time: duration(task.activeMs) })
          : undefined
      }
    />
  );
}

function TurnFact({ task }: { task: TaskView }): ReactNode {
  const t = useText();
  return (
    <Fact
      name={t('fact.turn')}
      value={
        <>
          <b>{task.turns}</b> <span className="dim">{t('fact.of', { limit: task.limits.turns })}</span>
        </>
      }
      below={t('fact.attempt', { n: task.attempt })}
    />
  );
}

function AgentFact({ task }: { task: TaskView }): ReactNode {
  const t = useText();
  return (
    <Fact
      name={t('fact.agent')}
      value={
        <>
          <b>{task.agent}</b>{' '}
          <span className="dim">
            {[task.autonomy, ...(task.mode === null ? [] : [task.mode])].join(' · ')}
          </span>
        </>
      }
      below={task.model}
    />
  );
}

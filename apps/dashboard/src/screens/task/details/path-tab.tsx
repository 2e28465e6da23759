/** The way of a task through its states: since when it was in each, for how long, and why it waited. */
import type { StopCause, TaskState, Timeline } from '@bullpen/contracts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useNow } from '../../../app/now.js';
import { useText } from '../../../i18n/texts.js';
import { StateMark } from '../../../ui/state-mark.js';
import { Clock, Duration, Span } from '../../../ui/time.js';
import { timelineQuery } from '../queries.js';
import { useShownTask } from '../task-context.js';

type Stay = Timeline['tasks'][number]['spans'][number];

export function PathTab(): ReactNode {
  const t = useText();
  const { task } = useShownTask();
  const { data } = useQuery(timelineQuery(task.rootId));
  const now = useNow();
  const stays = data?.tasks.find(({ taskId }) => taskId === task.id)?.spans ?? [];
  if (stays.length === 0) return null;
  return (
    <div className="tab-body">
      <div className="row tab-head">
        {totalsOf(stays, now).map(([state, ms]) => (
          <span key={state}>
            <span className="dim">{t(`state.${state}`)}</span> <Duration ms={ms} />
          </span>
        ))}
      </div>
      <div className="boxed" tabIndex={0}>
        <table className="data-table path">
          <thead>
            <tr>
              <th>{t('path.state')}</th>
              <th>{t('path.since')}</th>
              <th className="r">{t('path.time')}</th>
            </tr>
          </thead>
          <tbody>
            {stays.map((stay, index) => (
              <StayRow
                key={stay.from}
                stay={stay}
                cause={index === stays.length - 1 ? task.stopCause : null}
              />
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function StayRow({ stay, cause }: { stay: Stay; cause: StopCause | null }): ReactNode {
  const { state, reason, from, to } = stay;
  const isEnd = to === null && ENDS.includes(state);
  return (
    <tr>
      <td>
        <StateMark state={state} waitReason={reason} stopCause={isEnd ? cause : null} />
      </td>
      <td>
        <Clock at={from} seconds />
      </td>
      <td className="r">{!isEnd && <Span from={from} to={to} />}</td>
    </tr>
  );
}

const ENDS: readonly TaskState[] = ['completed', 'failed', 'cancelled'];

/** How long it was in each state, without the one that it ended in; the longest first. */
function totalsOf(stays: readonly Stay[], now: number): [TaskState, number][] {
  const totals = new Map<TaskState, number>();
  for (const { state, from, to } of stays) {
    if (to === null && ENDS.includes(state)) continue;
    const ms = (to === null ? now : Date.parse(to)) - Date.parse(from);
    totals.set(state, (totals.get(state) ?? 0) + Math.max(0, ms));
  }
  return [...totals].sort(([, a], [, b]) => b - a);
}

/** The state of a task: icon and word, always both. */
import type { StopCause, TaskState, WaitReason } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../i18n/texts.js';
import { Icon } from './icon.js';
import { causeText, lookOf, stateText } from './state.js';

interface StateProps {
  readonly state: TaskState;
  readonly waitReason: WaitReason | null;
  readonly stopCause?: StopCause | null;
  /** As a pill, for heads of pages. */
  readonly pill?: boolean;
}

export function StateMark({ pill = false, ...task }: StateProps): ReactNode {
  const t = useText();
  const look = lookOf(task);
  const cause = causeText(task.stopCause);
  return (
    <span className={`st ${look}${pill ? ' pill' : ''}`}>
      <Icon name={look} />
      <span className="trunc">
        {t(stateText(task))}
        {cause !== null && ` (${cause})`}
      </span>
    </span>
  );
}

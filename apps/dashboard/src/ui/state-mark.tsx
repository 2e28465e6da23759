/** The state of a task: icon and word, always both. */
import { isTerminal, type StopCause, type TaskState, type WaitReason } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import type { TextKey } from '../i18n/keys.js';
import { useText } from '../i18n/texts.js';
import { Icon } from './icon.js';
import { causeText, lookOf, stateText } from './state.js';

interface StateProps {
  readonly state: TaskState;
  readonly waitReason: WaitReason | null;
  readonly stopCause?: StopCause | null;
  /** The kind of what it, or a task below it, asks a person: louder than its own state. */
  readonly ask?: string | null | undefined;
  /** As a pill, for heads of pages. */
  readonly pill?: boolean;
}

const ASKS: Readonly<Record<string, TextKey>> = {
  approval: 'wait.approval',
  budget: 'wait.budget',
  plan: 'wait.plan',
};

export function StateMark({ pill = false, ask, ...task }: StateProps): ReactNode {
  const t = useText();
  const asks = ask != null && !isTerminal(task.state);
  const look = asks ? 'needs' : lookOf(task);
  const cause = asks ? null : causeText(task.stopCause, t);
  return (
    <span className={`st ${look}${pill ? ' pill' : ''}`}>
      <Icon name={look} />
      <span className="trunc">
        {t(asks ? (ASKS[ask] ?? 'wait.answer') : stateText(task))}
        {cause !== null && ` (${cause})`}
      </span>
    </span>
  );
}

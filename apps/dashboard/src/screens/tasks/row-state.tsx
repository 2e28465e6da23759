/** The state of a row. A root that goes on shows the loudest state of its tree: something waits for a person. */
import type { TaskView } from '@bullpen/contracts';
import { isTerminal } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { Icon } from '../../ui/icon.js';
import { StateMark } from '../../ui/state-mark.js';

export function RowState({ task }: { task: TaskView }): ReactNode {
  const t = useText();
  const ask = task.tree?.ask;
  if (ask == null || isTerminal(task.state)) return <StateMark {...task} />;
  return (
    <span className="st needs">
      <Icon name="needs" />
      <span className="trunc">{t(NEEDS[ask.kind] ?? 'wait.answer')}</span>
    </span>
  );
}

const NEEDS: Readonly<Record<string, 'wait.approval' | 'wait.answer' | 'wait.budget' | 'wait.plan'>> = {
  approval: 'wait.approval',
  budget: 'wait.budget',
  plan: 'wait.plan',
};

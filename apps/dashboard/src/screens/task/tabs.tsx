/** What of a task is shown in the middle; on narrow screens also what else stands at its sides. */
import type { TaskView } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';
import { useShownTask } from './task-context.js';

export const TABS = ['transcript', 'changes', 'cost', 'path', 'modes', 'raw', 'tree', 'details'] as const;
export type Tab = (typeof TABS)[number];

/** Below this width of the page the part has no column of its own. */
const ONLY_NARROW: Readonly<Partial<Record<Tab, string>>> = {
  tree: 'only-below-900',
  details: 'only-below-1180',
};

/** The parts that a task has: only one that works in modes has a way through them. */
export function tabsOf({ workflow }: Pick<TaskView, 'workflow'>): readonly Tab[] {
  return workflow === 'fsm' ? TABS : TABS.filter((tab) => tab !== 'modes');
}

interface TabsProps {
  readonly tab: Tab;
  readonly figures: Readonly<Partial<Record<Tab, number | null>>>;
  readonly onTab: (tab: Tab) => void;
}

export function Tabs({ tab, figures, onTab }: TabsProps): ReactNode {
  const t = useText();
  const { task } = useShownTask();
  return (
    <div className="tabs" role="group" aria-label={t('task.parts')}>
      {tabsOf(task).map((each) => (
        <button
          key={each}
          type="button"
          className={ONLY_NARROW[each]}
          aria-current={each === tab || undefined}
          onClick={() => onTab(each)}
        >
          {t(`task.tab.${each}`)}
          {figures[each] ? <span className="n">{figures[each]}</span> : null}
        </button>
      ))}
    </div>
  );
}

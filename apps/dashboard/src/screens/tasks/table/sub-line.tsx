/** The second line of a row: what is asked, what went wrong, or what it does now. */
import type { TaskView } from '@bullpen/contracts';
import type { ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';

export function SubLine({ task }: { task: TaskView }): ReactNode {
  const t = useText();
  return <span className="sub">{textOf(task) ?? t('tasks.nothingYet')}</span>;
}

function textOf({ tree, failure, state, output, prompt, title }: TaskView): ReactNode {
  if (tree?.ask != null) return tree.ask.title.replace(/^#+ +/, '');
  if (failure !== null) return failure.message;
  if (tree?.doing != null && state !== 'completed')
    return (
      <>
        <code>{tree.doing.name}</code> {tree.doing.detail}
      </>
    );
  if (typeof output === 'string' && output !== '') return output.slice(0, 200);
  return prompt === title ? null : prompt.slice(0, 200);
}

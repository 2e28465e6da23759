/** Why a task failed or left its goal undone, and the button that helps: both in view without scrolling. */
import { count, usd } from '@bullpen/client';
import type { TaskView } from '@bullpen/contracts';
import { useState, type ReactNode } from 'react';
import type { TextKey } from '../../../i18n/keys.js';
import { useText, type Translate } from '../../../i18n/texts.js';
import { Button } from '../../../ui/button.js';
import { Icon } from '../../../ui/icon.js';
import { raiseOf, wantsLook, type Raise } from '../standing.js';
import { useTaskChange } from '../use-task-change.js';
import { OtherWays } from './other-ways.js';

export function FailureNote({ task }: { task: TaskView }): ReactNode {
  const t = useText();
  const retry = useTaskChange((tasks, raise: Raise) =>
    tasks.retry(task.id, { mode: 'resume', ...(raise.by !== null && { limits: raise.limits }) }),
  );
  const [showsOthers, showOthers] = useState(false);
  if (!wantsLook(task)) return null;
  const raise = raiseOf(task);
  return (
    <div className={`note fail ${task.state === 'failed' ? 'failed' : 'needs'}`}>
      <Icon name={task.state === 'failed' ? 'failed' : 'needs'} />
      <div className="grow">
        <b>{t(headlineOf(task), { n: task.limits.turns })}</b>
        <Reason task={task} />
        {retry.error !== null && <p role="alert">{retry.error.message}</p>}
      </div>
      <span className="row fail-ways">
        {task.state === 'failed' && (
          <Button kind="primary" icon="retry" disabled={retry.isPending} onClick={() => retry.mutate(raise)}>
            {resumeText(raise, t)}
          </Button>
        )}
        <Button onClick={() => showOthers(true)}>{t('fail.otherWays')}</Button>
      </span>
      {showsOthers && <OtherWays task={task} onClose={() => showOthers(false)} />}
    </div>
  );
}

/** The words of whoever knows; on a phone they are short, and open. */
function Reason({ task }: { task: TaskView }): ReactNode {
  const said = task.failure?.message ?? null;
  if (said === null) return null;
  const code = task.failure?.errorClass ?? task.failure?.code;
  return (
    <p className="mid fail-why">
      {said} {code != null && <code className="dim">{code}</code>}
    </p>
  );
}

const HEADLINES: Readonly<Partial<Record<NonNullable<TaskView['stopCause']>, TextKey>>> = {
  turn_limit: 'fail.turnLimit',
  time_limit: 'fail.timeLimit',
  token_limit: 'fail.tokenLimit',
  cost_limit: 'fail.costLimit',
  deadline: 'fail.deadline',
  refused: 'fail.refused',
  mistakes: 'fail.mistakes',
  loop: 'fail.loop',
  invalid_output: 'fail.invalidOutput',
  poison: 'fail.poison',
  partial: 'fail.partial',
  blocked: 'fail.blocked',
};

function headlineOf({ stopCause }: TaskView): TextKey {
  return (stopCause === null ? undefined : HEADLINES[stopCause]) ?? 'fail.error';
}

function resumeText({ by }: Raise, t: Translate): string {
  switch (by?.kind) {
    case undefined:
      return t('fail.resume');
    case 'cost':
      return t('fail.raiseTo', { amount: usd(by.usd) });
    case 'turns':
      return t('fail.moreTurns', { n: by.n });
    case 'minutes':
      return t('fail.moreMinutes', { n: by.n });
    case 'tokens':
      return t('fail.moreTokens', { n: count(by.n) });
  }
}

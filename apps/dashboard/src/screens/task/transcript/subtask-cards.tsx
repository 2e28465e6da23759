/** Subtasks that were spawned together: how each stands, and what it costs. */
import type { SubtaskRow } from '@bullpen/client';
import { Link } from '@tanstack/react-router';
import { memo, type ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Icon } from '../../../ui/icon.js';
import { Cost } from '../../../ui/money.js';
import { StateMark } from '../../../ui/state-mark.js';
import { useTreeTask } from '../task-context.js';

export const SubtaskCards = memo(function SubtaskCards({ rows }: { rows: readonly SubtaskRow[] }): ReactNode {
  const t = useText();
  return (
    <div>
      <div className="who">
        <Icon name="fork" small />
        {t('task.delegated', { n: rows.length })}
      </div>
      <div className="kidcards">
        {rows.map((row) => (
          <SubtaskCard key={row.key} row={row} />
        ))}
      </div>
    </div>
  );
});

function SubtaskCard({ row }: { row: SubtaskRow }): ReactNode {
  const task = useTreeTask(row.taskId);
  const state = task?.state ?? row.ended?.state ?? 'queued';
  return (
    <Link className="kid" to="/tasks/$taskId" params={{ taskId: row.taskId }}>
      <span className="row">
        <span className="strong trunc grow">{row.title}</span>
        {task !== undefined && (
          <span className="num dim">
            <Cost usage={task.usage} />
          </span>
        )}
      </span>
      <span className="m">
        <StateMark
          state={state}
          waitReason={task?.waitReason ?? null}
          stopCause={task?.stopCause ?? row.ended?.cause ?? null}
        />
        {row.agent !== '' && (
          <>
            <span aria-hidden="true">·</span>
            <span className="trunc">{row.agent}</span>
          </>
        )}
      </span>
    </Link>
  );
}

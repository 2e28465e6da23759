/** A tool call: what was called with what, how it went, and when it is opened what came of it. What is folded is not drawn. */
import { duration, tellingArgument, type ToolRow } from '@bullpen/client';
import { memo, type ReactNode } from 'react';
import { useText } from '../../../i18n/texts.js';
import { ChangeCount } from '../../../ui/change-count.js';
import { Icon } from '../../../ui/icon.js';
import { Span } from '../../../ui/time.js';
import { editOf } from './edits.js';
import type { Match } from './find.js';
import { useOpen } from './open-cards.js';
import { ToolBody } from './tool-body.js';

interface ToolCardProps {
  readonly row: ToolRow;
  /** The task has ended, so that nothing runs any more. */
  readonly isOver: boolean;
  /** A line of its output that is sought. */
  readonly at?: number | undefined;
}

export const ToolCard = memo(function ToolCard({ row, isOver, at }: ToolCardProps): ReactNode {
  const [isOpen, toggle] = useOpen(
    row.key,
    row.state === 'errored' || (row.state === 'running' && row.output !== ''),
  );
  return (
    <div className="tool">
      <button type="button" className="tool-head" aria-expanded={isOpen} onClick={toggle}>
        <ToolMark row={row} isOver={isOver} />
        <span className="name">{row.tool}</span>
        <span className="arg trunc">{argumentOf(row)}</span>
        <ToolResult row={row} isOver={isOver} />
        <Icon name={isOpen ? 'down' : 'right'} small />
      </button>
      {isOpen && <ToolBody row={row} at={at} />}
    </div>
  );
});

/** Neighbouring calls that only looked at something, as one. */
export const ReadsCard = memo(function ReadsCard(props: {
  rows: readonly ToolRow[];
  found?: Match | undefined;
}): ReactNode {
  const { rows, found } = props;
  const t = useText();
  const [isOpen, toggle] = useOpen(`reads ${rows[0]?.key}`);
  const ms = rows.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0);
  return (
    <div className="tool">
      <button type="button" className="tool-head" aria-expanded={isOpen} onClick={toggle}>
        <span className="mark ok">
          <Icon name="check" />
        </span>
        <span className="name">{t('task.reads', { n: rows.length })}</span>
        <span className="arg trunc">{rows.map(argumentOf).join(', ')}</span>
        <span className="num">{duration(ms)}</span>
        <Icon name={isOpen ? 'down' : 'right'} small />
      </button>
      {isOpen && (
        <div className="tool-list">
          {rows.map((row) => (
            <ToolCard
              key={row.key}
              row={row}
              isOver
              at={row.key === found?.key ? (found.line ?? undefined) : undefined}
            />
          ))}
        </div>
      )}
    </div>
  );
});

function ToolMark({ row: { state }, isOver }: ToolCardProps): ReactNode {
  const t = useText();
  const look = isOver && (state === 'running' || state === 'generating') ? 'canceled' : state;
  const [className, icon] = MARKS[look];
  return (
    <span className={`mark ${className}`} role="img" aria-label={t(`tool.${look}`)}>
      <Icon name={icon} />
    </span>
  );
}

const MARKS = {
  generating: ['st running', 'running'],
  running: ['st running', 'running'],
  done: ['ok', 'check'],
  errored: ['no', 'x'],
  canceled: ['dim', 'cancelled'],
} as const;

function ToolResult({ row, isOver }: ToolCardProps): ReactNode {
  const t = useText();
  const edit = editOf(row);
  if (row.state === 'generating')
    return <span className="num">{t('tool.writes', { n: row.draft.length })}</span>;
  if (row.state === 'running')
    return isOver ? <span className="num">{t('tool.cutOff')}</span> : <Span from={row.at} />;
  return (
    <>
      {edit !== null && <ChangeCount insertions={edit.insertions} deletions={edit.deletions} />}
      {row.state === 'errored' && <span className="tool-bad">{exitOf(row) ?? t('tool.failed')}</span>}
      {row.durationMs !== null && <span className="num">{duration(row.durationMs)}</span>}
    </>
  );
}

/** Commands say how they ended in the first line of what they give back. */
function exitOf({ tool, preview }: ToolRow): string | null {
  const code = tool === 'run_command' ? /^exit code:? (\d+)/i.exec(preview ?? '')?.[1] : undefined;
  return code === undefined ? null : `exit ${code}`;
}

function argumentOf(row: ToolRow): string {
  return row.state === 'generating' ? row.draft.slice(-200) : tellingArgument(row.arguments);
}

/** The table of tasks. Of many thousands only those in sight are drawn. */
import type { TaskView } from '@bullpen/contracts';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, type ReactNode, type Ref, type RefObject } from 'react';
import { useText } from '../../../i18n/texts.js';
import { Cell } from './cells.js';
import { ColumnHead } from './column-head.js';
import { columnsOf, withWidth, type Column, type ColumnChoice } from './columns.js';

interface TaskTableProps {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly rows: readonly TaskView[];
  readonly gone: ReadonlySet<string>;
  /** There are more rows than these. */
  readonly hasMore: boolean;
  /** The row that the keyboard is on; -1: none. */
  readonly at: number;
  readonly selected: ReadonlySet<string>;
  readonly columns: ColumnChoice;
  readonly onColumns: (choice: ColumnChoice) => void;
  readonly onToggle: (id: string) => void;
  readonly onToggleAll: () => void;
  /** One comes near the last row. */
  readonly onNearEnd: () => void;
}

/** Height of a row that was not yet drawn, and of the head, in px. */
const GUESS = 52;
const HEAD = 36;
/** So many rows before the last one. */
const NEAR_END = 20;

export function TaskTable(props: TaskTableProps): ReactNode {
  const { scroller, rows, gone, hasMore, at, selected, columns, onToggle, onNearEnd } = props;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => rows[index]?.id ?? index,
    estimateSize: () => GUESS,
    overscan: 10,
    scrollMargin: HEAD,
    scrollPaddingStart: HEAD,
    scrollPaddingEnd: GUESS,
  });
  const shown = virtualizer.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (at >= 0) virtualizer.scrollToIndex(at, { align: 'auto' });
  }, [virtualizer, at]);
  useEffect(() => {
    if (hasMore && last >= rows.length - NEAR_END) onNearEnd();
  }, [hasMore, last, rows.length, onNearEnd]);
  const drawn = columnsOf(columns);
  const before = (shown[0]?.start ?? HEAD) - HEAD;
  const after = virtualizer.getTotalSize() - ((shown.at(-1)?.end ?? HEAD) - HEAD);
  return (
    <table className="data-table tall tasks" aria-rowcount={hasMore ? -1 : rows.length + 1}>
      <Head {...props} drawn={drawn} />
      <tbody>
        <Space height={before} span={drawn.length + 1} />
        {shown.map(({ index }) => {
          const task = rows[index];
          if (task === undefined) return null;
          return (
            <TaskRow
              key={task.id}
              ref={virtualizer.measureElement}
              index={index}
              task={task}
              columns={columns}
              isGone={gone.has(task.id)}
              isAt={index === at}
              isSelected={selected.has(task.id)}
              onToggle={onToggle}
            />
          );
        })}
        <Space height={after} span={drawn.length + 1} />
      </tbody>
    </table>
  );
}

function Head({
  rows,
  selected,
  columns,
  onColumns,
  onToggleAll,
  drawn,
}: TaskTableProps & { drawn: readonly Column[] }): ReactNode {
  const t = useText();
  const title = drawn.findIndex(({ id }) => id === 'title');
  return (
    <thead>
      <tr>
        <th className="c-check">
          <input
            type="checkbox"
            className="check"
            aria-label={t('tasks.selectAll')}
            checked={selected.size === rows.length}
            onChange={onToggleAll}
          />
        </th>
        {drawn.map((column, index) => (
          <ColumnHead
            key={column.id}
            column={column}
            isBehindTitle={index > title}
            onWidth={(width) => onColumns(withWidth(columns, column.id, width))}
          />
        ))}
      </tr>
    </thead>
  );
}

/** In the place of rows that are out of sight. */
function Space({ height, span }: { height: number; span: number }): ReactNode {
  if (height <= 0) return null;
  return (
    <tr className="space" aria-hidden="true">
      <td colSpan={span} style={{ height }} />
    </tr>
  );
}

const TaskRow = memo(function TaskRow(props: {
  ref: Ref<HTMLTableRowElement>;
  index: number;
  task: TaskView;
  columns: ColumnChoice;
  isGone: boolean;
  isAt: boolean;
  isSelected: boolean;
  onToggle: (id: string) => void;
}): ReactNode {
  const { ref, index, task, columns, isGone, isAt, isSelected, onToggle } = props;
  const t = useText();
  return (
    <tr
      ref={ref}
      data-index={index}
      aria-rowindex={index + 2}
      className={[isSelected ? 'sel' : '', isAt ? 'at' : '', isGone ? 'gone' : ''].join(' ').trim()}
    >
      <td className="c-check">
        <input
          type="checkbox"
          className="check"
          aria-label={t('inbox.select', { title: task.title })}
          checked={isSelected}
          onChange={() => onToggle(task.id)}
        />
      </td>
      {columnsOf(columns).map(({ id, isRight }) => (
        <Cell key={id} id={id} task={task} isRight={isRight === true} />
      ))}
    </tr>
  );
});

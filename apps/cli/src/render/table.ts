/**
 * Tables: no borders, as wide as the terminal, one row per line. For a program (`width` is Infinity) nothing is cut, and ids are whole. Pure.
 */
import type { Colors } from '../io.js';
import { shortIds } from './short-ids.js';
import { padEnd, padStart, truncate, widthOf } from './width.js';

export interface Column<Row> {
  readonly title: string;
  /** Plain text; colours come from `paint`, after cutting. */
  value(row: Row): string;
  paint?(text: string, row: Row): string;
  readonly align?: 'left' | 'right';
  /** Gives way when the terminal is narrow, down to this width. Columns without it keep theirs. */
  readonly shrinkTo?: number;
  /** Gives way only when all others have. */
  readonly lasts?: boolean;
  /** Its values are ids, of which people see the last characters. */
  readonly ids?: boolean;
}

const GAP = 2;

/** The lines of a table with its head; only the head when there are no rows. */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  colors: Colors,
): string {
  const values = columns.map((column) => {
    const texts = rows.map((row) => column.value(row));
    return column.ids === true && width !== Infinity ? shortIds(texts) : texts;
  });
  const cells = rows.map((_, number) => values.map((texts) => texts[number] ?? ''));
  const widths = fitWidths(columns, cells, width);
  const line = (texts: readonly string[], paint: (text: string, index: number) => string): string =>
    texts
      .map((text, index) => alignCell(text, paint, index, widths[index] ?? 0, columns[index]?.align))
      .join(' '.repeat(GAP))
      .trimEnd();
  return [
    line(
      columns.map((column) => column.title),
      (text) => colors.dim(text),
    ),
    ...rows.map((row, number) =>
      line(cells[number] ?? [], (text, index) => columns[index]?.paint?.(text, row) ?? text),
    ),
  ].join('\n');
}

function alignCell(
  text: string,
  paint: (text: string, index: number) => string,
  index: number,
  columns: number,
  align: 'left' | 'right' = 'left',
): string {
  const painted = paint(truncate(text, columns), index);
  return align === 'right' ? padStart(painted, columns) : padEnd(painted, columns);
}

function fitWidths<Row>(
  columns: readonly Column<Row>[],
  cells: readonly (readonly string[])[],
  width: number,
): number[] {
  const natural = columns.map((column, index) =>
    Math.max(widthOf(column.title), ...cells.map((row) => widthOf(row[index] ?? ''))),
  );
  let excess = natural.reduce((sum, each) => sum + each, 0) + GAP * (columns.length - 1) - width;
  // The widest shrinkable column gives way first, as it loses least; states and names come last.
  const order = columns.flatMap((column, index) => (column.shrinkTo === undefined ? [] : [index]));
  const lasts = (index: number): number => (columns[index]?.lasts === true ? 1 : 0);
  order.sort((left, right) => lasts(left) - lasts(right) || (natural[right] ?? 0) - (natural[left] ?? 0));
  for (const index of order) {
    const given = Math.max(0, Math.min(excess, (natural[index] ?? 0) - (columns[index]?.shrinkTo ?? 0)));
    natural[index] = (natural[index] ?? 0) - given;
    excess -= given;
  }
  return natural;
}

/** Tables for people: no borders, as wide as the terminal, one row per line. Pure. */
import Table from 'cli-table3';
import type { Colors } from '../io.js';
import { truncate, widthOf } from './width.js';

export interface Column<Row> {
  readonly title: string;
  /** Plain text; colours come from `paint`, after cutting. */
  value(row: Row): string;
  paint?(text: string, row: Row): string;
  readonly align?: 'left' | 'right';
  /** Gives way when the terminal is narrow, down to this width. Columns without it keep theirs. */
  readonly shrinkTo?: number;
}

const GAP = 2;
const NO_BORDERS = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'].map((name) => [name, '']),
); // prettier-ignore

/** The lines of a table with its head; only the head when there are no rows. */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  colors: Colors,
): string {
  const cells = rows.map((row) => columns.map((column) => column.value(row)));
  const widths = fitWidths(columns, cells, width);
  const table = new Table({
    head: columns.map((column, index) => colors.dim(truncate(column.title, widths[index] ?? 0))),
    colAligns: columns.map((column) => column.align ?? 'left'),
    colWidths: widths.map((columnWidth, index) => columnWidth + (index < columns.length - 1 ? GAP : 0)),
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  rows.forEach((row, line) => {
    table.push(
      columns.map((column, index) => {
        const text = truncate(cells[line]?.[index] ?? '', widths[index] ?? 0);
        const painted = column.paint?.(text, row) ?? text;
        // Right-aligned cells touch the next column: the gap goes behind them.
        return column.align === 'right' && index < columns.length - 1
          ? `${painted}${' '.repeat(GAP)}`
          : painted;
      }),
    );
  });
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
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
  // The widest shrinkable column gives way first, as it loses least.
  const order = columns.flatMap((column, index) => (column.shrinkTo === undefined ? [] : [index]));
  order.sort((left, right) => (natural[right] ?? 0) - (natural[left] ?? 0));
  for (const index of order) {
    const given = Math.max(0, Math.min(excess, (natural[index] ?? 0) - (columns[index]?.shrinkTo ?? 0)));
    natural[index] = (natural[index] ?? 0) - given;
    excess -= given;
  }
  return natural;
}

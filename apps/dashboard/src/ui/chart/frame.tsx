/** What charts share: lines of the grid with their values, times below, and a table of the same for whoever wants figures. */
import type { ScaleLinear, ScaleTime } from 'd3-scale';
import { useId, useState, type ReactNode } from 'react';
import { useText } from '../../i18n/texts.js';

export const MARGIN = { left: 44, right: 8, top: 10, bottom: 24 } as const;
export const HEIGHT = 200;
/** So much room a label of the time takes at least. */
const LABEL_WIDTH = 80;

export function Grid(props: {
  y: ScaleLinear<number, number>;
  width: number;
  format: (value: number) => string;
}): ReactNode {
  const { y, width, format } = props;
  return y.ticks(4).map((value) => (
    <g key={value}>
      <line className="g" x1={MARGIN.left} x2={width - MARGIN.right} y1={y(value)} y2={y(value)} />
      <text x={MARGIN.left - 8} y={y(value) + 4} textAnchor="end">
        {format(value)}
      </text>
    </g>
  ));
}

export function Times({ x, width }: { x: ScaleTime<number, number>; width: number }): ReactNode {
  const format = x.tickFormat();
  return x.ticks(Math.max(2, Math.floor(width / LABEL_WIDTH / 1.5))).map((at) => (
    <text key={at.getTime()} x={x(at)} y={HEIGHT - 6} textAnchor="middle">
      {format(at)}
    </text>
  ));
}

interface Column {
  readonly name: string;
  readonly look: string;
  readonly values: readonly string[];
}

/** The picture, its legend, and behind a button the same as a table. */
export function ChartBox(props: {
  title: string;
  rows: readonly string[];
  columns: readonly Column[];
  children: ReactNode;
}): ReactNode {
  const { title, rows, columns, children } = props;
  const t = useText();
  const id = useId();
  const [isTable, showTable] = useState(false);
  return (
    <section className="boxed" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        <span className="grow" />
        <span className="legend">
          {columns.map(({ name, look }) => (
            <span key={name}>
              <i className={look} />
              {name}
            </span>
          ))}
        </span>
        <button type="button" className="chip" aria-pressed={isTable} onClick={() => showTable(!isTable)}>
          {t('chart.table')}
        </button>
      </header>
      {isTable ? <ChartTable rows={rows} columns={columns} /> : <div className="pad">{children}</div>}
    </section>
  );
}

function ChartTable({ rows, columns }: { rows: readonly string[]; columns: readonly Column[] }): ReactNode {
  const t = useText();
  return (
    <div className="chart-table" tabIndex={0} role="group" aria-label={t('chart.table')}>
      <table className="data-table">
        <thead>
          <tr>
            <th>{t('chart.time')}</th>
            {columns.map(({ name }) => (
              <th className="r" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={row}>
              <td>{row}</td>
              {columns.map(({ name, values }) => (
                <td className="r" key={name}>
                  {values[index]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

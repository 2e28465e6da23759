/** Tokens and money as a table. Pure. */
import type { UsageTotals } from '@bullpen/contracts';
import type { Colors } from '../io.js';
import { count, usd } from './format.js';
import { plainText } from './plain-text.js';
import { renderTable } from './table.js';

export interface UsageRow {
  readonly name: string;
  readonly totals: UsageTotals;
  /** Set for the sum. */
  readonly bold?: boolean;
}

/** Tokens and money by row, under a title for the first column; sums stand out. */
export function usageTable(title: string, rows: readonly UsageRow[], width: number, colors: Colors): string {
  const sum = (text: string, row: UsageRow): string => (row.bold ? colors.bold(text) : text);
  const number = (name: string, value: (totals: UsageTotals) => string) => ({
    title: name,
    value: (row: UsageRow) => value(row.totals),
    paint: sum,
    align: 'right' as const,
  });
  return renderTable(
    rows,
    [
      { title, value: (row) => plainText(row.name), paint: sum, shrinkTo: 12 },
      number('CALLS', (totals) => String(totals.modelCalls)),
      number('INPUT', (totals) => count(totals.inputTokens)),
      number('CACHE READ', (totals) => count(totals.cacheReadTokens)),
      number('CACHE WRITE', (totals) => count(totals.cacheWrite5mTokens + totals.cacheWrite1hTokens)),
      number('OUTPUT', (totals) => count(totals.outputTokens)),
      number('COST', (totals) => usd(totals.costUsd)),
    ],
    width,
    colors,
  );
}

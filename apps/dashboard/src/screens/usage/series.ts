/** Usage as series for a picture: the dearest groups have a colour of their own, the rest is one. Pure. */
import type { UsageReport } from '@bullpen/contracts';

/** So many colours there are. */
const MOST = 5;

export const OTHERS = '';

/** Keys of the groups that are drawn apart, the dearest first; `OTHERS` at the end when there are more. */
export function seriesOf({ data }: Pick<UsageReport, 'data'>): string[] {
  const priced = data
    .filter(({ costUsd }) => Number(costUsd) > 0)
    .sort((a, b) => Number(b.costUsd) - Number(a.costUsd))
    .map(({ key }) => key);
  return priced.length <= MOST ? priced : [...priced.slice(0, MOST), OTHERS];
}

/** The cost of each series on each day, in dollars: only for drawing. */
export function costsByDay(
  { data }: Pick<UsageReport, 'data'>,
  days: readonly string[],
  series: readonly string[],
): number[][] {
  const at = new Map(days.map((day, index) => [day, index]));
  const costs = series.map(() => days.map(() => 0));
  for (const { key, part, costUsd } of data) {
    const day = at.get(key);
    const own = series.indexOf(part ?? '');
    const row = costs[own === -1 ? series.indexOf(OTHERS) : own];
    if (day !== undefined && row !== undefined) row[day] = (row[day] ?? 0) + Number(costUsd);
  }
  return costs;
}

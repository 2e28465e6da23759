/** When a task's user is told that its window fills up. */
import type { ContextSize, DurableEventBody } from '@bullpen/contracts';

/** Percents of the budget. At the second, the history has been made smaller already, unless that is switched off or impossible. */
const WARNINGS = [80, 100] as const;

/** The warnings between two measurements: each once whenever the window fills up to it. */
export function warningsOf(before: ContextSize | null, context: ContextSize): DurableEventBody[] {
  return WARNINGS.filter((percent) => reaches(context, percent) && !(before && reaches(before, percent))).map(
    (percent) => ({ type: 'context.warning', data: { percent, context } }),
  );
}

function reaches({ share }: ContextSize, percent: number): boolean {
  return share * 100 >= percent;
}

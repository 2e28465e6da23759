/** What the suite says when all is over: its last line on stdout. */
import type { Harm } from './finding.js';
import type { Outcome } from './run-attacks.js';

/** An outcome, and as whom it was tried: root, an ordinary user, or through a whole installation. */
export interface Told extends Outcome {
  readonly as: string;
}

export interface RunnerSummary {
  readonly level: string;
  /** Median of what a box adds to the start of a command; null without one. */
  readonly startCostMs: number | null;
}

/** Counts attacks and findings by their kind; `ms` is how long the suite took. */
export function reportOf(outcomes: readonly Told[], summaries: readonly RunnerSummary[], ms: number) {
  const found = outcomes.flatMap((outcome) => outcome.found);
  const count = (harm: Harm) => found.filter((one) => one.harm === harm).length;
  const different = (kind: Outcome['kind']) =>
    new Set(outcomes.filter((outcome) => outcome.kind === kind).map(({ name }) => name)).size;
  const costs = summaries.flatMap(({ startCostMs }) => startCostMs ?? []);
  return {
    inputs: different('input'),
    probes: different('probe'),
    runs: outcomes.length,
    as: [...new Set(outcomes.map(({ as }) => as))],
    level: [...new Set(summaries.map(({ level }) => level))].join(', '),
    escaped: count('escaped'),
    leftovers: count('leftover'),
    secretsSeen: count('secret'),
    networkReached: count('network'),
    broken: count('broken'),
    startCostMs: costs.length === 0 ? null : Math.min(...costs),
    seconds: Math.round(ms / 1_000),
    failures: outcomes
      .filter((outcome) => outcome.found.length > 0)
      .map(({ as, name, found: why }) => ({ as, name, found: why })),
  };
}

/** For people, a line an attack. */
export function lineOf({ as, name, what, found, seconds }: Told): string {
  const verdict = found.length === 0 ? 'ok  ' : 'FAIL';
  const reasons = found.map((one) => `\n        ${one.harm}: ${one.what}`).join('');
  return `${verdict}  ${as}  ${name}  ${seconds.toFixed(1)} s${found.length === 0 ? '' : `  ${what}`}${reasons}`;
}

/** What a run of the suite found: a line a part while it goes, and one JSON document at its end. */
import type { Tally } from './drill.js';
import type { MutantsReport } from './mutants/run-mutants.js';

export type PartVerdict = 'passed' | 'failed' | 'skipped';

/** One part, done. */
export interface PartResult {
  readonly id: string;
  readonly title: string;
  readonly backend: string;
  readonly verdict: PartVerdict;
  readonly seconds: number;
  readonly detail?: string;
}

/** Violations that are listed; the counts are of all. */
const MAX_LISTED = 50;

export class Report {
  private readonly parts: PartResult[] = [];
  private readonly sums: Tally = {
    tasks: 0,
    kills: 0,
    restarts: 0,
    lost: 0,
    doubled: 0,
    paidTwice: 0,
    stuck: 0,
    violations: [],
  };
  private seeds = 0;
  private mutants: Pick<MutantsReport, 'planted' | 'caught' | 'survivors'> = {
    planted: 0,
    caught: 0,
    survivors: [],
  };

  constructor(
    private readonly seed: number,
    private readonly backends: readonly string[],
    private readonly write: (line: string) => void,
  ) {}

  /** Counts what a part found. */
  add(tally: Tally, seeds = 0): void {
    for (const key of ['tasks', 'kills', 'restarts', 'lost', 'doubled', 'paidTwice', 'stuck'] as const)
      this.sums[key] += tally[key];
    this.sums.violations.push(...tally.violations);
    this.seeds += seeds;
  }

  addMutants({ planted, caught, survivors }: MutantsReport): void {
    this.mutants = { planted, caught, survivors };
  }

  done(part: PartResult): void {
    this.parts.push(part);
    const detail = part.detail === undefined ? '' : `  ${part.detail}`;
    const seconds = `${part.seconds.toFixed(1)} s`;
    this.write(`${part.id}  ${part.title}  ${part.backend}  ${seconds}  ${part.verdict}${detail}`);
  }

  get allPassed(): boolean {
    return this.parts.every(({ verdict }) => verdict !== 'failed');
  }

  /** The JSON document, on one line. */
  toJson(): string {
    const count = (verdict: PartVerdict) => this.parts.filter((part) => part.verdict === verdict).length;
    return JSON.stringify({
      seed: this.seed,
      backends: this.backends,
      ...this.sums,
      violations: this.sums.violations.slice(0, MAX_LISTED),
      seeds: this.seeds,
      mutants: this.mutants,
      drills: this.parts,
      passed: count('passed'),
      failed: count('failed'),
      skipped: count('skipped'),
    });
  }
}

/** True when nothing was found. */
export function isClean(tally: Tally): boolean {
  return tally.lost + tally.doubled + tally.paidTwice + tally.stuck + tally.violations.length === 0;
}

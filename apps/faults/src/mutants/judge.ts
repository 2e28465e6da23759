/** The words between the suite and the process that judges one copy of the product. */

import type { Mutant } from './mutant.js';

export interface JudgeRequest {
  readonly judge: Mutant['judge'];
  readonly seed: number;
  readonly seeds: number;
  readonly acts: NonNullable<Mutant['acts']>;
  /** Databases for the judges that need one: a lane of the store's has one of its own. */
  readonly databaseUrls: readonly string[];
}

/** Its last line on stdout, as JSON. Without it the judge has failed, and nothing is known about the product. */
export interface JudgeAnswer {
  readonly seeds: number;
  /** What did not hold in the first world that failed; empty when all was well. */
  readonly violations: readonly string[];
}

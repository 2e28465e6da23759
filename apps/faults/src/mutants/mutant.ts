import type { UserAct } from '../sweep/plan.js';

/** A planted bug: one change of text in the compiled product, and who must notice it. */
export interface Mutant {
  readonly id: string;
  readonly title: string;
  /** The changed file, from the root of the repository. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /**
   * `sweep`: worlds in memory. `store`: worlds on a real Postgres. `people`: the drill with real processes and people who answer. `disks`: the one with workers that lose
   * their disks. `restores`: the one with workers that die while they restore files. `windows`: conversations in small windows, on a real Postgres.
   */
  readonly judge: 'sweep' | 'store' | 'people' | 'disks' | 'restores' | 'windows';
  /** What people do in each world that judges it, besides what the seed chooses: for bugs that few worlds would meet. */
  readonly acts?: readonly UserAct['kind'][];
  /** Also planted in CI's short form. */
  readonly short?: true;
}

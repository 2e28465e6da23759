/** What came of an attack that should have come to nothing. */

/** What went wrong. `broken`: it could not be tried as it was meant, or the product did not do what it promises. */
export type Harm = 'escaped' | 'leftover' | 'secret' | 'network' | 'broken';

export interface Finding {
  readonly harm: Harm;
  readonly what: string;
}

/** Something got out of its box or its workspace. */
export const escaped = (what: string): Finding => ({ harm: 'escaped', what });
/** The attack could not be tried, or a promise was not kept. */
export const broken = (what: string): Finding => ({ harm: 'broken', what });

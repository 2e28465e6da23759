/** What is stored of a state besides its files, as its row has it. */
import type { Diffstat } from '@bullpen/checkpoints';
import type { NewCheckpoint } from '@bullpen/core';

type LeftOut = NewCheckpoint['leftOut'];

export function listed(diffstat: Diffstat): NonNullable<NewCheckpoint['diffstat']> {
  return { ...diffstat, list: [...diffstat.list] };
}

export function listedLeftOut(
  leftOut: readonly (Omit<LeftOut[number], 'paths'> & { readonly paths: readonly string[] })[],
): LeftOut {
  return leftOut.map((one) => ({ ...one, paths: [...one.paths] }));
}

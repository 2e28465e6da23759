/** Keeps the pictures and documents that a tool gives, before its result is recorded: a row never refers to what is not there. */
import type { Media } from '@bullpen/contracts';
import type { PlacedOutcome } from './place-child.js';
import type { Run } from './run.js';

/** An outcome whose contents are kept: it refers to them. */
export type KeptOutcome =
  | Exclude<PlacedOutcome, { kind: 'result' }>
  | (Omit<Extract<PlacedOutcome, { kind: 'result' }>, 'media'> & { readonly media: readonly Media[] });

export async function kept({ deps, state }: Run, outcome: PlacedOutcome): Promise<KeptOutcome> {
  if (outcome.kind !== 'result') return outcome;
  const media: Media[] = [];
  for (const content of outcome.media ?? []) {
    const one = (await deps.media?.keep(state.task.tenantId, content)) ?? null;
    if (one !== null) media.push(one);
  }
  return { ...outcome, media };
}

/** Some checkpoints as one pack of git that needs nothing else, for another machine. */
import type { Checkpoints } from '../checkpoints.js';
import type { ShadowRepository } from '../objects/shadow-repository.js';
import { PACKING } from './checkpoint-packs.js';

/** The pack, piece by piece. Throws `ObjectsMissing`. */
export async function* packOf(
  checkpoints: Checkpoints,
  commits: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let shadow: ShadowRepository | null = null;
  for (const commit of commits) shadow = await checkpoints.bring(commit, signal);
  if (shadow !== null) yield* shadow.git.stream(PACKING, { input: `${commits.join('\n')}\n`, signal });
}

/** Takes such a pack in. To be called while the store is held alone. */
export async function takePack(
  shadow: ShadowRepository,
  pack: AsyncIterable<Uint8Array>,
  commits: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  await shadow.git.run(['index-pack', '--stdin'], { input: pack, signal });
  await shadow.keep(commits);
}

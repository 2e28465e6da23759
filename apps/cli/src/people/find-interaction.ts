/** Ids of interactions as people type them: whole, or only the end (or any unique piece) of one. */
import { InteractionId, type InteractionView } from '@bullpen/contracts';
import type { Client } from '../context.js';
import { CliError } from '../errors.js';
import { EXIT } from '../exit-codes.js';

/** Fewer letters are a slip, not a name. */
const FEWEST = 4;

/**
 * The interaction that is meant. A piece of an id is looked for among what is pending; throws with exit code 5 when none fits and 2
 * when several do.
 */
export async function findInteraction(client: Client, text: string): Promise<InteractionView> {
  if (InteractionId.safeParse(text).success) return client.interactions.get(text);
  const piece = text.replace(/^ask_/, '').toLowerCase();
  if (piece.length < FEWEST)
    throw new CliError(EXIT.usage, `"${text}" is too short for the id of an interaction.`, [
      'see what waits: bullpen inbox',
    ]);
  const found: InteractionView[] = [];
  for await (const view of client.interactions.iterate({ limit: 200 }))
    if (view.id.endsWith(piece) || view.id.startsWith(`ask_${piece}`)) found.push(view);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  if (only === undefined)
    throw new CliError(EXIT.notFound, `Nothing that waits has an id like "${text}".`, [
      'see what waits: bullpen inbox',
      'or what was answered: bullpen inbox --all',
    ]);
  throw new CliError(
    EXIT.usage,
    `"${text}" fits several: ${found.map(({ id }) => id).join(', ')}. Give more of the id.`,
  );
}

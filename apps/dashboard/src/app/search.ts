/** What stands in the addresses of screens. What is wrong in one is left out, so that an old link still opens. */
import { InteractionKind } from '@bullpen/contracts';
import { z } from 'zod';

/** `ask`: the one that is open. */
export const InboxSearch = z.object({
  kind: InteractionKind.optional().catch(undefined),
  ask: z.string().optional().catch(undefined),
});

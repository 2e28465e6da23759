/** The address of the form. */
import { Autonomy } from '@bullpen/contracts';
import { z } from 'zod';

/** What a link to the form may bring along. */
export const NewSearch = z.object({
  prompt: z.string().optional().catch(undefined),
  agent: z.string().optional().catch(undefined),
  autonomy: Autonomy.optional().catch(undefined),
});

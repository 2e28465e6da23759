/** Which mode is shown beside the map, and whether the rules are a table. */
import { z } from 'zod';

export const ModesSearch = z.object({
  mode: z.string().max(40).optional().catch(undefined),
  table: z.boolean().optional().catch(undefined),
});

/** The time that the charts of the queue show. */
import { z } from 'zod';

export const WINDOWS = ['1h', '6h', '24h', '7d'] as const;

export const QueuesSearch = z.object({ window: z.enum(WINDOWS).optional().catch(undefined) });

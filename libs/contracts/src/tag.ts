/** Tags of tasks. */
import { z } from 'zod';

export const Tag = z.string().min(1).max(64);

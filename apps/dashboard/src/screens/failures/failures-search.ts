/** The time that the screen of failures looks at. Pure. */
import { z } from 'zod';

export const WINDOWS = ['1h', '24h', '7d', '30d'] as const;
export type Window = (typeof WINDOWS)[number];

export const FailuresSearch = z.object({ window: z.enum(WINDOWS).optional().catch(undefined) });

const HOURS: Readonly<Record<Window, number>> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 };

/** To the minute, so that all looks within one ask for the same. */
export function startOf(window: Window, now: number): string {
  return new Date(Math.floor(now / 60_000) * 60_000 - HOURS[window] * 3_600_000).toISOString();
}

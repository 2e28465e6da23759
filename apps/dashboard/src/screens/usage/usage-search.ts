/** What the screen of usage shows: a span of days, by one thing. Pure. */
import { z } from 'zod';

export const WINDOWS = ['7d', '30d', '90d'] as const;
export const GROUPS = ['model', 'agent', 'tenant', 'tag'] as const;
export type Group = (typeof GROUPS)[number];
export type Window = (typeof WINDOWS)[number];

export const UsageSearch = z.object({
  window: z.enum(WINDOWS).optional().catch(undefined),
  by: z.enum(GROUPS).optional().catch(undefined),
});

const DAY_MS = 86_400_000;

/** The days of the span, oldest first, as the gateway counts them: in UTC. */
export function daysOf(window: Window, now: number): string[] {
  const count = Number.parseInt(window, 10);
  return Array.from({ length: count }, (_, index) =>
    new Date(now - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
}

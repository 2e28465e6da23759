/** What queues and workers have in common: they are paused, drained and opened again. */
import type { Flow } from '@bullpen/contracts';
import { ago } from '../render/format.js';
import { oneLine } from '../render/plain-text.js';

export const FLOW_VERBS = ['pause', 'drain', 'resume'] as const;

export interface FlowFlags {
  readonly reason?: string;
}

/** `paused by local 3m ago: Upgrade`. */
export function flowText({ state, since, by, reason }: Flow, now: number): string {
  if (state === 'open' || since === null) return state;
  const who = by === null ? '' : ` by ${oneLine(by)}`;
  const why = reason === null ? '' : `: ${oneLine(reason)}`;
  return `${state}${who} ${ago(since, now)}${why}`;
}

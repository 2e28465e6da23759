/** Calls of a task by what was called. Pure. */
import type { ModelCallView, ToolCallView } from '@bullpen/contracts';

interface CallBar {
  readonly from: number;
  readonly to: number;
  readonly failed: boolean;
}

export interface CallLane {
  readonly kind: 'model' | 'tool';
  readonly name: string;
  readonly calls: CallBar[];
  failed: number;
  totalMs: number;
}

/** Model calls first, then each tool, most time first; without calls that took less than `leastMs`. `now` ends what goes on. */
export function callLanesOf(
  models: readonly ModelCallView[],
  tools: readonly ToolCallView[],
  now: number,
  leastMs: number,
): CallLane[] {
  const lanes = new Map<string, CallLane>();
  const add = (kind: CallLane['kind'], name: string, call: CallBar): void => {
    if (call.to - call.from < leastMs) return;
    const key = `${kind} ${name}`;
    const lane = lanes.get(key) ?? { kind, name, calls: [], failed: 0, totalMs: 0 };
    lanes.set(key, lane);
    lane.calls.push(call);
    lane.failed += call.failed ? 1 : 0;
    lane.totalMs += call.to - call.from;
  };
  for (const { model, status, ...call } of models)
    add('model', model, barOf(call.startedAt, call.endedAt, now, status === 'failed'));
  for (const { tool, isError, ...call } of tools)
    if (call.startedAt !== null) add('tool', tool, barOf(call.startedAt, call.endedAt, now, isError));
  return [...lanes.values()].sort((a, b) => a.kind.localeCompare(b.kind) || b.totalMs - a.totalMs);
}

function barOf(startedAt: string, endedAt: string | null, now: number, failed: boolean): CallBar {
  const from = Date.parse(startedAt);
  return { from, to: endedAt === null ? Math.max(now, from) : Date.parse(endedAt), failed };
}

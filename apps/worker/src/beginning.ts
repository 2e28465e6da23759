/** What people are told about a workspace before the work in it begins. */
import type { DurableEventBody, TaskWorkspace } from '@bullpen/contracts';
import type { PreparedWorkspace } from '@bullpen/workspace';

/** So many of the things that a copy lacks are named. */
const MOST_LEFT_OUT = 20;

/** Whether the task works in a folder of the machine itself. */
export function isInPlace(spec: TaskWorkspace): boolean {
  return spec.kind === 'path' && !spec.copy;
}

/** `others`: tasks that work in the same folder itself. */
export function beginning(
  spec: TaskWorkspace,
  { path, clone, leftOut }: PreparedWorkspace,
  begun: boolean,
  others: readonly string[],
): DurableEventBody[] {
  if (begun) return [];
  const events: DurableEventBody[] = [];
  if (isInPlace(spec)) events.push({ type: 'workspace.in_place', data: { path, others: [...others] } });
  if (clone) {
    const { url, branch, commit } = clone;
    events.push({ type: 'workspace.cloned', data: { url, branch, commit } });
  }
  if (leftOut)
    events.push({
      type: 'workspace.incomplete',
      data: { total: leftOut.length, leftOut: leftOut.slice(0, MOST_LEFT_OUT) },
    });
  return events;
}

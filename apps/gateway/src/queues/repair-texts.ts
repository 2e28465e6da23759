/** What the reconciler puts right, in words, by the names of its counters. */
const TEXTS: Readonly<Record<string, string>> = {
  expired_lease: 'The lease of a lost worker ran out; the task was queued again.',
  lost_announcement: 'A task was ready and its job was lost; it was announced again.',
  lost_wake: 'A task still waited although its wait was over; it was queued.',
  open_edge: 'A subtask had ended and its parent had not been told; the wait was closed.',
  missing_dispatch: 'A queued task was not in the backlog; it was put there.',
  lost_process: 'A command had ended with its worker; its agent was told.',
};

/** A counter that is not known here says its own name. */
export function repairText(kind: string): string {
  return TEXTS[kind] ?? `${kind.replaceAll('_', ' ')}.`;
}

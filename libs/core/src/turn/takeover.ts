/** Going on after a run that broke off: with the first stored step, watchers are told what that run had started. */
import type { Run } from './run.js';

/** What the previous run had started: a call that a crash cut off is repeated or not, as its tool says. */
export function tellTakeover({ state, tools }: Run): void {
  const { leftBy: from } = state.task;
  if (from === null) return;
  const begun = state.toolCalls.filter(({ status }) => status === 'calling').map(({ tool }) => tool);
  // A task that was interrupted meanwhile repeats none of it.
  const goesOn = !state.task.interrupted;
  const isRepeated = (name: string): boolean => goesOn && tools.get(name)?.resume === 'repeat';
  state.record({
    patch: { leftBy: null },
    events: [
      {
        type: 'task.taken_over',
        data: {
          from,
          to: state.lease.workerId,
          repeated: begun.filter(isRepeated),
          cutOff: begun.filter((name) => !isRepeated(name)),
          modelCalls: !goesOn ? 0 : state.modelCalls.filter(({ status }) => status === 'started').length,
        },
      },
    ],
  });
}

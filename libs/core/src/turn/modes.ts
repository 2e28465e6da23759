/** Work modes during a run: triggers that are fired, and what the agent is told of the mode that it is in. */
import { currentMode, fitsMode } from '../decide/modes/in-mode.js';
import { fire, transitionEvent, waysOut, type Firing, type Standing } from '../decide/modes/fire.js';
import { foldCall, foldChanges, type CallEffect } from '../decide/modes/fold.js';
import { offeredTools } from '../decide/offer.js';
import { modeNote, newestHead, noteHead } from '../conversation/mode-note.js';
import type { Tool } from '../ports/tool.js';
import type { ModeContext, Transition } from '../task/mode-context.js';
import type { Run } from './run.js';
import type { Recording } from './draft.js';
import type { RunState } from './run-state.js';

/** Where the task stands; null for one that works without modes. */
export function standingOf({ task, transitions, modeContext }: RunState): Standing | null {
  const { machine } = task.definition;
  return machine === undefined ? null : { machine, rows: transitions, context: modeContext };
}

/**
 * Fires a trigger: row, mode and event are one step with what `pieces` adds and all that is recorded. When a person has fired another one
 * meanwhile, it is decided anew, from the mode that this led to.
 */
export async function fireTrigger(
  { state, deps }: Run,
  firing: Firing,
  pieces: (row: Transition) => Recording = () => ({}),
): Promise<void> {
  const reason = firing.reason === null ? null : deps.masker.mask(firing.reason);
  for (;;) {
    const standing = standingOf(state);
    if (standing === null) return;
    const transition = fire(standing, { ...firing, reason });
    const more = pieces(transition);
    const events = [...(more.events ?? []), transitionEvent(transition)];
    const result = await state.commit({ ...more, transition, events });
    if (result.kind !== 'mode_moved') return;
    await state.refreshTransitions();
  }
}

/** What the agent has to be told of its mode with the next message; empty when what it was told last still holds. */
export function tellMode({ state, tools }: Run): readonly string[] {
  const standing = standingOf(state);
  const mode = currentMode(state.task);
  if (standing === null || mode === null) return [];
  const entry = standing.rows.findLast(({ to }) => to !== null) ?? null;
  if (newestHead(state.requestMessages) === noteHead(mode.name, entry)) return [];
  const names = offeredTools(tools, state.task)
    .filter((tool) => fitsMode(mode, tool))
    .map(({ name }) => name);
  return [modeNote({ mode, entry, ways: waysOut(standing), tools: names })];
}

/** Why a tool cannot be used in the mode of the task; null when it can. */
export function modeProblem({ state, tools }: Run, tool: Tool): string | null {
  const standing = standingOf(state);
  const mode = currentMode(state.task);
  if (standing === null || mode === null || fitsMode(mode, tool)) return null;
  const names = offeredTools(tools, state.task)
    .filter((other) => fitsMode(mode, other))
    .map(({ name }) => name);
  const triggers = waysOut(standing).possible.map(({ trigger, to }) => `${trigger} (to ${to})`);
  return `${tool.name} is not a tool of the work mode ${mode.name}. Tools of this mode: ${names.join(', ')}. Triggers that lead on (signal): ${triggers.join(', ')}.`;
}

/** A call has ended: what it did counts for the conditions of the modes. */
export function noteCall({ state }: Run, effect: CallEffect): void {
  if (state.task.definition.machine !== undefined) keepContext(state, foldCall(state.modeContext, effect));
}

/** Files have been found changed since the turn before. */
export function noteChanges(state: RunState, paths: readonly string[], turn: number): void {
  if (state.task.definition.machine !== undefined)
    keepContext(state, foldChanges(state.modeContext, paths, turn));
}

/** Keeps the context with the next step, if it has changed. */
export function keepContext(state: RunState, context: ModeContext): void {
  const known = JSON.stringify(state.task.modeContext);
  if (known !== JSON.stringify(context)) state.record({ patch: { modeContext: context } });
}

/** A person has refused a call: in a mode that can be left by that, the work goes back to look again. */
export async function fireRejected(run: Run, reason: string): Promise<void> {
  const mode = currentMode(run.state.task);
  if (mode?.rules.some(({ on }) => on === REJECTED) !== true) return;
  await fireTrigger(run, { trigger: REJECTED, source: 'harness', by: null, reason });
}

const REJECTED = 'rejected';

/** Waiting for people: opens what has to be asked and suspends the task on it. The waiting task holds nothing. */
import type { DurableEventBody, WaitReason } from '@bullpen/contracts';
import { canonicalJson } from '../task/canonical-json.js';
import { newInteraction } from './review.js';
import type { Run } from './run.js';
import type { Recording } from './draft.js';
import { suspend } from './suspend.js';
import type { InteractionRecord, NewInteraction } from '../task/task.js';
import type { TaskAsk } from '../decide/task-asks.js';

/**
 * Suspends the task until one of the interactions is answered. `again`: one has been answered meanwhile, or there is something else
 * to do; the run then knows the newest answers.
 */
export async function waitForPeople(
  run: Run,
  pieces: Recording,
  interactionIds: readonly string[],
  reason: WaitReason,
): Promise<'waiting' | 'again'> {
  const wait = { reason, mode: 'any' as const, childIds: [], dueInMs: null, interactionIds };
  const after = await suspend(run, wait, pieces);
  if (after === 'again') await run.state.refreshInteractions();
  return after;
}

/** It is the user's turn: the task waits for the next message. */
export function awaitMessage(run: Run): Promise<'waiting' | 'again'> {
  return suspend(run, { reason: 'message', mode: 'any', childIds: [], dueInMs: null });
}

/** Asks about the task itself, unless the same question is already open, and waits. */
export async function askAboutTask(run: Run, ask: TaskAsk): Promise<'waiting' | 'again'> {
  const { state, deps } = run;
  const known = state.interactions.find(
    (item) => item.callId === null && item.kind === ask.kind && item.answer === null,
  );
  if (known) return waitForPeople(run, {}, [known.id], ask.reason);
  const { kind, title, payload } = ask;
  const hash = deps.hash(canonicalJson({ task: state.task.id, kind, payload: { ...payload } }));
  const open = newInteraction(run, { kind, title, payload, callId: null, hash });
  return waitForPeople(run, opening([open]), [open.id], ask.reason);
}

/** The part of a step that opens interactions. */
export function opening(interactions: readonly NewInteraction[]): Recording {
  return { interactions, events: interactions.map(openedEvent) };
}

/** The part of a step that withdraws interactions that are no longer needed. */
export function withdrawing(
  interactions: readonly InteractionRecord[],
): Required<Pick<Recording, 'withdrawn' | 'events'>> {
  return {
    withdrawn: interactions.map(({ id }) => id),
    events: interactions.map(({ id, kind }) => ({
      type: 'interaction.closed' as const,
      data: { interactionId: id, kind, state: 'withdrawn' as const, by: null, answer: null },
    })),
  };
}

function openedEvent({ id, kind, callId, title, expiresInMs }: NewInteraction): DurableEventBody {
  return { type: 'interaction.opened', data: { interactionId: id, kind, callId, title, expiresInMs } };
}

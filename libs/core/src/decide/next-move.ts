/**
 * What an agent's run does next, as a pure function of what is stored. There is no program counter: after a crash the same state
 * gives the same move, so resuming needs no special code.
 */
import {
  errorText,
  type Json,
  type JsonSchema,
  type MistakesAnswer,
  type StopCause,
} from '@bullpen/contracts';
import {
  answerText,
  cutsInARow,
  isPaused,
  isWhole,
  MAX_CUTS,
  NO_STOP_REASON,
  textOf,
} from '../task/answer-end.js';
import { COMPLETE_TASK } from '../task/autonomy.js';
import { endSaid, isOwnEnd } from './completion.js';
import { isOverdue, reachedLimit } from '../task/limits.js';
import type { ValidateJson } from '../ports/loop-deps.js';
import { crowding } from './loops/crowding.js';
import { chants, stuckReason } from './loops/stuck.js';
import { circleOf } from './modes/fire.js';
import { failuresOf, FATAL_MISTAKES, mistakesAfter, STERN_MISTAKES } from './mistakes.js';
import { canAsk, endingOf, isConversation } from './offer.js';
import type { TaskPatch } from '../ports/store.js';
import { answeredAbout, type TaskAsk } from './task-asks.js';
import type { Transition } from '../task/mode-context.js';
import { preview } from '../task/text.js';
import type {
  InteractionRecord,
  Phase,
  StoredMessage,
  TaskOutcome,
  TaskRecord,
  ToolCallRecord,
} from '../task/task.js';

/** What the harness has to say to an agent; `conversation/` has the words for it. */
export type Say =
  | { readonly kind: 'continue' | 'completion' | 'plan' | 'stern' | 'chant' | 'crowded' }
  | { readonly kind: 'extraction'; readonly schema: JsonSchema }
  | { readonly kind: 'repair'; readonly issues: readonly string[] }
  | { readonly kind: 'guidance'; readonly why: string; readonly guidance: string | undefined }
  | { readonly kind: 'grace'; readonly limit: string };

export type Move =
  /** Ask the model. `say` goes into the user message before, after results and steering. */
  | {
      readonly kind: 'call_model';
      readonly phase: Phase;
      readonly say: readonly Say[];
      readonly patch: TaskPatch;
      readonly limit?: { cause: StopCause; message: string };
    }
  | { readonly kind: 'run_calls'; readonly calls: readonly ToolCallRecord[] }
  /** What was running is left: these calls get a result that says so, and the next move starts fresh. */
  | { readonly kind: 'leave'; readonly calls: readonly ToolCallRecord[] }
  /** The current answer is left in the same way, and it is the user's turn. */
  | { readonly kind: 'stop'; readonly calls: readonly ToolCallRecord[] }
  /** The current turn is dropped, as if it had not started. */
  | { readonly kind: 'rollback' }
  | { readonly kind: 'ask'; readonly ask: TaskAsk }
  /** The agent has answered; it is the user's turn. */
  | { readonly kind: 'await_message' }
  | { readonly kind: 'finish'; readonly outcome: TaskOutcome };

export interface MoveInput {
  readonly task: TaskRecord;
  readonly messages: readonly StoredMessage[];
  /** What makes them shorter, oldest first. */
  readonly reductions: readonly StoredMessage[];
  readonly toolCalls: readonly ToolCallRecord[];
  readonly interactions: readonly InteractionRecord[];
  /** The history of its work modes. */
  readonly transitions: readonly Transition[];
  readonly activeMs: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Rounds in which an output that does not fit its schema is sent back. */
const MAX_REPAIRS = 2;

/** Pure: the same facts always lead to the same move, so that any worker goes on where another one stopped. */
export function nextMove(input: MoveInput, validate: ValidateJson): Move {
  const { task, messages, toolCalls } = input;
  const last = messages.at(-1);
  if (task.cancelRequested) return finish(ended('cancelled', 'cancelled'));
  if (task.interrupted) return afterInterrupt(input);
  // Everything was taken back: there is nothing to answer.
  if (last === undefined && task.inboxPending === 0) return { kind: 'await_message' };
  if (last?.role !== 'assistant') return callWithinLimits(input, [], {});
  if (toolCalls.length > 0) return afterToolCalls(input);
  return afterText(input, last, validate);
}

/**
 * A conversation that is interrupted without a message waits for one. It stays interrupted while it waits: if that message is
 * withdrawn before it is read, the stopped answer must not start again.
 */
function afterInterrupt({ task, toolCalls, now }: MoveInput): Move {
  if (task.rollback) return { kind: 'rollback' };
  const calls = toolCalls.filter(isOpen);
  const stops = isConversation(task) && task.phase === 'work' && task.inboxPending === 0;
  return { kind: stops && !isOverdue(task, now) ? 'stop' : 'leave', calls };
}

/** Calls that still have to run, run; then their results go back, unless one of them ended the task. */
function afterToolCalls(input: MoveInput): Move {
  const { task, toolCalls } = input;
  const completing = toolCalls.find((call) => call.completesTask);
  if (completing) return finishOrListen(task, endedBy(task, completing));
  const open = toolCalls.filter(isOpen);
  if (task.phase === 'grace') {
    const completion = open.filter((call) => call.tool === COMPLETE_TASK);
    return completion.length > 0 ? { kind: 'run_calls', calls: completion } : finish(limited(task, null));
  }
  if (open.length > 0) return { kind: 'run_calls', calls: open };

  const phase = task.phase === 'extract' ? { phase: 'work' as const } : {};
  // A cut answer is not a mistake of the agent, and none of its calls ran.
  const last = input.messages.at(-1);
  if (last !== undefined && !isWhole(last)) return afterCut(input, [], phase);
  const mistakes = mistakesAfter(task.mistakes, toolCalls);
  const circles = circleOf(input.transitions, task.modeContext) ?? stuckReason(input.messages, toolCalls);
  if (circles !== null) return whenStuck(input, 'loop', circles, mistakes);
  if (mistakes >= FATAL_MISTAKES)
    return whenStuck(
      input,
      'mistakes',
      `The agent's tool calls keep failing; the last was ${toolCalls.at(-1)?.tool}.`,
      mistakes,
    );
  const crowded = crowding({ ...input, turns: task.turns });
  if (crowded !== null && crowded !== 'notice') return whenStuck(input, 'loop', crowded.why, mistakes);
  const say: Say[] = [];
  if (crowded === 'notice') say.push({ kind: 'crowded' });
  if (mistakes >= STERN_MISTAKES && task.mistakes < STERN_MISTAKES) say.push({ kind: 'stern' });
  if (chants(input.messages)) say.push({ kind: 'chant' });
  return callWithinLimits(input, say, { mistakes, ...phase });
}

/** Asks to go on, until too many answers in a row were cut: then the task ends with what there is. */
function afterCut(input: MoveInput, say: readonly Say[], patch: TaskPatch): Move {
  const { task, messages } = input;
  if (cutsInARow(messages) < MAX_CUTS || task.inboxPending > 0) return callWithinLimits(input, say, patch);
  const reason = messages.at(-1)?.stopReason ?? NO_STOP_REASON;
  // A subtask cannot be retried: its parent decides what to do.
  const wayOut = task.depth === 0 ? ' Retry the task to go on from there.' : '';
  const message = `The model's last ${MAX_CUTS} answers were cut off, the latest with the reason "${reason}".${wayOut}`;
  const output = answerText(messages);
  return finish({
    ...failedEnd('error', 'answer_cut', message),
    output: output === '' ? null : output,
    partial: output !== '',
  });
}

/** Stuck: a person says how to go on, if there is one. */
function whenStuck(input: MoveInput, cause: 'mistakes' | 'loop', why: string, mistakes: number): Move {
  const { task, toolCalls, interactions } = input;
  const said = preview(toolCalls.at(-1)?.output ?? '', 500);
  const message = said === '' ? why : `${why} It said: ${said}`;
  if (!canAsk(task)) return finish(failedEnd(cause, cause, message));
  const answer = answeredAbout(interactions, 'mistakes')?.answer as MistakesAnswer | undefined;
  if (answer?.decision === 'stop') return finish(failedEnd(cause, cause, message));
  if (answer)
    return callWithinLimits(input, [{ kind: 'guidance', why, guidance: answer.guidance }], {
      mistakes: 0,
      ...freedRounds(input),
    });
  const payload = { turn: task.turns, mistakes: failuresOf(mistakes), message };
  return { kind: 'ask', ask: { kind: 'mistakes', reason: 'answer', title: why, payload } };
}

/** The user has said how to go on: what led round in circles may do so as often again. */
function freedRounds({ task, transitions }: MoveInput): TaskPatch {
  const { modeContext } = task;
  return modeContext === null ? {} : { modeContext: { ...modeContext, allowedSince: transitions.length } };
}

/** An answer without tool calls: the end of a phase, or a pause in it. */
function afterText(input: MoveInput, last: StoredMessage, validate: ValidateJson): Move {
  const { task } = input;
  const text = textOf(last);
  if (task.phase === 'grace') return finish(limited(task, text === '' ? null : text));
  const chanting = afterChanting(input, last);
  if (chanting !== null) return chanting;
  if (isPaused(last)) return callWithinLimits(input, [], {});
  if (!isWhole(last)) return afterCut(input, [{ kind: 'continue' }], {});
  const ending = endingOf(task);
  switch (ending) {
    case 'plan':
      return afterPlanInWords(input, text);
    case 'message':
      return inConversation(input);
    case 'completion':
    case 'answer':
      return afterResult(input, ending, validate);
  }
}

/** A text that chants is no result and is not continued: the agent hears it once, then it is stuck. Data may repeat itself. */
function afterChanting(input: MoveInput, last: StoredMessage): Move | null {
  const { task, messages } = input;
  if (task.phase === 'extract' || task.inboxPending > 0 || !chants(messages)) return null;
  // In a conversation it is the user's turn, unless the harness would go on by itself.
  if (isWhole(last) && endingOf(task) === 'message') return null;
  const circles = stuckReason(messages, []);
  if (circles !== null) return whenStuck(input, 'loop', circles, task.mistakes);
  return callWithinLimits(input, [{ kind: 'chant' }], {});
}

/** The result in words: asked for in its shape, unless the task wants none. */
function afterResult(input: MoveInput, ending: 'completion' | 'answer', validate: ValidateJson): Move {
  const { task } = input;
  if (task.phase === 'extract') return afterExtraction(task, answerText(input.messages), validate);
  if (task.inboxPending > 0) return listen;
  const { outputSchema } = task.definition;
  if (ending === 'completion') return askForResult({ kind: 'completion' });
  if (outputSchema !== null) return askForResult({ kind: 'extraction', schema: outputSchema });
  return finish(reached(task, answerText(input.messages)));
}

function askForResult(request: Say): Move {
  return { kind: 'call_model', phase: 'extract', say: [request], patch: { phase: 'extract' } };
}

/** There is an answer; only a deadline makes the task go on from there without a message. */
function inConversation(input: MoveInput): Move {
  if (input.task.inboxPending > 0) return callWithinLimits(input, [], {});
  return isOverdue(input.task, input.now) ? callWithinLimits(input, [], {}) : { kind: 'await_message' };
}

/** A plan is accepted as a whole, so it has to be presented as one. */
function afterPlanInWords(input: MoveInput, text: string): Move {
  const { task } = input;
  if (task.inboxPending > 0) return listen;
  if (task.repairs >= MAX_REPAIRS) {
    const outcome = failedEnd(
      'invalid_output',
      'invalid_output',
      'The agent described a plan but did not present it.',
    );
    return finish({ ...outcome, output: text, partial: true });
  }
  const patch = { phase: 'extract' as const, repairs: task.repairs + 1 };
  return { kind: 'call_model', phase: 'extract', say: [{ kind: 'plan' }], patch };
}

function afterExtraction(task: TaskRecord, text: string, validate: ValidateJson): Move {
  const schema = task.definition.outputSchema;
  if (schema === null) return finishOrListen(task, reached(task, text));
  const parsed = parseJsonAnswer(text);
  const issues = parsed.ok ? validate(schema, parsed.value) : [parsed.problem];
  if (parsed.ok && issues.length === 0) return finishOrListen(task, reached(task, parsed.value));
  if (task.repairs >= MAX_REPAIRS) {
    return finish({
      ...failedEnd(
        'invalid_output',
        'invalid_output',
        `The output does not fit its schema: ${issues.slice(0, 5).join('; ')}`,
      ),
      output: text,
      partial: true,
    });
  }
  return {
    kind: 'call_model',
    phase: 'extract',
    say: [{ kind: 'repair', issues: issues.slice(0, 20) }],
    patch: { repairs: task.repairs + 1 },
  };
}

/** Another model call in the work phase, or the grace turn when a limit has been reached. */
function callWithinLimits(input: MoveInput, say: readonly Say[], patch: TaskPatch): Move {
  const { task } = input;
  const limit = task.phase === 'work' ? reachedLimit(task, input.activeMs, input.now) : null;
  if (!limit) return { kind: 'call_model', phase: task.phase, say, patch };
  return {
    kind: 'call_model',
    phase: 'grace',
    say: [...say, { kind: 'grace', limit: limit.message }],
    patch: { ...patch, phase: 'grace', pendingCause: limit.cause },
    limit,
  };
}

/** A call that has not ended. */
export function isOpen(call: ToolCallRecord): boolean {
  return call.status === 'generated' || call.status === 'calling';
}

const finish = (outcome: TaskOutcome): Move => ({ kind: 'finish', outcome });

/** Back to work, to read what the user said. */
const listen: Move = { kind: 'call_model', phase: 'work', say: [], patch: { phase: 'work' } };

/** No agent ends its task while a message of the user is unread. */
function finishOrListen(task: TaskRecord, outcome: TaskOutcome): Move {
  return isOwnEnd(outcome.cause) && task.inboxPending > 0 ? listen : finish(outcome);
}

/** What the agent said with the call that ended its work. In the last turn at a limit, the limit stays the cause. */
function endedBy(task: TaskRecord, call: ToolCallRecord): TaskOutcome {
  const end = endSaid(call.arguments);
  if (task.phase !== 'grace') return end;
  const outcome = limited(task, end.output);
  const said = [outcome.failure?.message, end.failure?.message].filter((text) => text !== undefined);
  return { ...outcome, failure: outcome.failure && { ...outcome.failure, message: said.join(' ') } };
}

function ended(state: 'cancelled', cause: StopCause): TaskOutcome {
  return { state, cause, output: null, partial: false, failure: null };
}

/** The goal was reached, unless this was the grace turn: a limit never looks like success. */
function reached(task: TaskRecord, output: Json): TaskOutcome {
  if (task.phase === 'grace') return limited(task, output);
  return { state: 'completed', cause: 'goal', output, partial: false, failure: null };
}

/** The end after a limit, with what could be saved. */
export function limited(task: TaskRecord, output: Json): TaskOutcome {
  const cause = task.pendingCause ?? 'error';
  return {
    ...failedEnd(cause, cause, `The task ended at its limit (${cause}). Raise the limit to go on.`),
    output,
    partial: output !== null,
  };
}

/** A failed end with its reason as data. */
export function failedEnd(
  cause: StopCause,
  code: string,
  message: string,
  errorClass: string | null = null,
): TaskOutcome {
  return {
    state: 'failed',
    cause,
    output: null,
    partial: false,
    failure: { cause, code, message, errorClass },
  };
}

/** A JSON value from an answer that may have put it into a code fence. */
function parseJsonAnswer(text: string): { ok: true; value: Json } | { ok: false; problem: string } {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text);
  try {
    return { ok: true, value: JSON.parse(fenced?.[1] ?? text) as Json };
  } catch (error) {
    return {
      ok: false,
      problem: `not valid JSON: ${errorText(error)}`,
    };
  }
}

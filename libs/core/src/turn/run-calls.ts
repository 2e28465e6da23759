/**
 * Runs the tool calls of a turn. Read-only calls run side by side, the others one by one in the order of the calls. Each call's
 * intent is committed before it starts, and each gets exactly one result whatever happens.
 */
import type { Media } from '@bullpen/contracts';
import { assertLease } from './assert-lease.js';
import { opening, waitForPeople, withdrawing } from './ask-person.js';
import { noted } from '../conversation/consent-note.js';
import { signalResult } from '../conversation/mode-note.js';
import { contextOf, outcomeOf } from './call.js';
import { afterChanges, beforeChanges } from './checkpoints.js';
import { recheck } from './recheck.js';
import { review, type Ready, type Review } from './review.js';
import { kept, type KeptOutcome } from './keep-media.js';
import { placed } from './place-child.js';
import { fireRejected, fireTrigger, noteCall } from './modes.js';
import type { Run } from './run.js';
import type { Recording } from './draft.js';
import { suspend } from './suspend.js';
import type { InteractionRecord, NewInteraction, ToolCallRecord } from '../task/task.js';
import { capOutput, cleanText, preview, READ_TOOL_OUTPUT } from '../task/text.js';
import type { Tool, ToolOutcome } from '../ports/tool.js';

/** Read-only calls that run at the same time, at most. */
const MAX_PARALLEL = 8;

/**
 * Runs `calls` (all still open) up to the first that a person has to answer for. `waiting`: the task is suspended. Returns early
 * when the signal fires or a cancel came.
 */
export async function runCalls(
  run: Run,
  calls: readonly ToolCallRecord[],
  signal: AbortSignal,
): Promise<'done' | 'waiting'> {
  const later = [...calls];
  await run.state.refreshLayers();
  for (const batch of batches(run, calls)) {
    later.splice(0, batch.length);
    const reviews = await reviewAll(run, batch);
    const ready = reviews.flatMap((item) => (item.kind === 'ready' ? [item] : []));
    for (const item of reviews) if (item.kind === 'refuse') await refuse(run, item.call, item.reason);
    if (ready.length > 0) {
      await beforeChanges(
        run,
        ready.map(({ tool }) => tool.group),
        signal,
      );
      const { autonomy, mode } = run.state.task;
      recordIntents(run, ready);
      await run.state.commit();
      if (run.state.mustStop() || signal.aborted) return 'done';
      const { ready: still, refused } = await recheck(run, ready, { autonomy, mode });
      for (const { call, reason } of refused) await refuse(run, call, reason);
      const ends = await Promise.all(still.map((item) => runOne(run, item, still.length > 1, signal)));
      if (ends.includes('waiting')) return 'waiting';
      if (signal.aborted || run.deps.shouldYield() || run.state.mustStop()) return 'done';
    }
    if (reviews.some(({ kind }) => kind === 'ask')) {
      await afterChanges(run, signal);
      return waitForConsent(run, reviews, later);
    }
  }
  return 'done';
}

/** One after the other: they may look at the same file. */
async function reviewAll(run: Run, calls: readonly ToolCallRecord[]): Promise<Review[]> {
  const reviews: Review[] = [];
  for (const call of calls) reviews.push(await review(run, call, (of) => contextOf(run, of)));
  return reviews;
}

/** Nothing after a waiting call runs before it, but everything that has to be asked is asked together. */
async function waitForConsent(
  run: Run,
  reviews: readonly Review[],
  later: readonly ToolCallRecord[],
): Promise<'done' | 'waiting'> {
  const asks = [...reviews, ...(await reviewAll(run, later))].flatMap((item) =>
    item.kind === 'ask' ? [item] : [],
  );
  const open = asks.flatMap((ask): NewInteraction[] => (ask.open ? [ask.open] : []));
  const stale = new Set(asks.flatMap(({ withdraw }) => withdraw));
  const gone: InteractionRecord[] = run.state.interactions.filter(({ id }) => stale.has(id));
  run.state.record(withdrawing(gone));
  run.state.record({ toolCalls: asks.map(({ call }) => call) });
  const ids = asks.flatMap((ask) => ask.pending ?? ask.open?.id ?? []);
  const kinds = new Set(
    [...open, ...run.state.interactions.filter(({ id }) => ids.includes(id))].map(({ kind }) => kind),
  );
  const reason = kinds.has('approval') || kinds.has('plan') ? 'approval' : 'answer';
  return (await waitForPeople(run, opening(open), ids, reason)) === 'waiting' ? 'waiting' : 'done';
}

/** Neighbouring read-only calls together, everything else alone. */
function batches(run: Run, calls: readonly ToolCallRecord[]): ToolCallRecord[][] {
  const all: ToolCallRecord[][] = [];
  let reading = false;
  for (const call of calls) {
    const tool = run.tools.get(call.tool);
    const reads = tool !== undefined && isReadOnly(tool);
    const current = all.at(-1);
    if (reads && reading && current && current.length < MAX_PARALLEL) current.push(call);
    else all.push([call]);
    reading = reads;
  }
  return all;
}

async function refuse(run: Run, call: ToolCallRecord, reason: string): Promise<void> {
  run.state.record(ended(run, call, { status: 'errored', isError: true, text: reason }));
  if (call.approval?.verdict === 'deny' && call.approval.by === 'user') await fireRejected(run, reason);
}

/** Marks calls as started. One that a lost worker had started is not announced again. */
function recordIntents(run: Run, ready: readonly Ready[]): void {
  const startedAt = new Date(run.deps.now());
  for (const { call, tool } of ready) {
    const first = call.status === 'generated';
    run.state.record({
      toolCalls: [
        {
          ...call,
          status: 'calling',
          startedAt: call.startedAt ?? startedAt,
          startedEpoch: run.state.lease.epoch,
          sandbox: tool.sandbox ?? null,
        },
      ],
      events: first
        ? [
            {
              type: 'tool.started',
              data: {
                callId: call.id,
                tool: tool.name,
                turn: call.turn,
                arguments: call.arguments,
                ...(tool.sandbox !== undefined && { sandbox: tool.sandbox }),
              },
            },
          ]
        : [],
    });
  }
}

/** Runs one call and records its end. In a batch each result is stored as it comes: a crash must not lose the siblings'. */
async function runOne(
  run: Run,
  item: Ready,
  inBatch: boolean,
  signal: AbortSignal,
): Promise<'done' | 'waiting'> {
  assertLease(run);
  const call = run.state.toolCalls.find(({ id }) => id === item.call.id) ?? item.call;
  const outcome = await kept(run, await placed(run, await outcomeOf(run, item, signal), signal));
  // A tool that we stopped ourselves has no result: its resume policy decides when the task goes on.
  if (signal.aborted && outcome.kind === 'result' && outcome.isError === true) return 'done';
  if (outcome.kind === 'wait') return waitOn(run, item, outcome, signal);
  if (outcome.kind === 'signal') {
    await signalled(run, call, outcome);
    return 'done';
  }
  noteEnd(run, item, outcome);
  run.state.record(recordingOf(run, call, withNote(outcome, item.note)));
  if (inBatch) await run.state.flush();
  return 'done';
}

/** The trigger and the result of its call are one step. */
async function signalled(
  run: Run,
  call: ToolCallRecord,
  { trigger, reason }: Extract<ToolOutcome, { kind: 'signal' }>,
): Promise<void> {
  await fireTrigger(run, { trigger, reason, source: 'agent', by: null }, (row) => {
    const isError = row.to === null;
    return ended(run, call, { status: isError ? 'errored' : 'done', isError, text: signalResult(row) });
  });
}

/** What the call did, for the conditions of work modes. */
function noteEnd(run: Run, { call, tool, bound, facts }: Ready, outcome: KeptOutcome): void {
  if (outcome.kind !== 'result') return;
  const { isError = false, exitCode, output } = outcome;
  const { name, group } = tool;
  noteCall(run, { tool: name, group, args: bound.args, facts, isError, exitCode, output, turn: call.turn });
}

/**
 * Suspends the task on what the call waits for. When that is already satisfied the call runs again and finds it so; when somebody
 * cancelled or interrupted the task nothing waits any more.
 */
async function waitOn(
  run: Run,
  item: Ready,
  outcome: Extract<ToolOutcome, { kind: 'wait' }>,
  signal: AbortSignal,
): Promise<'done' | 'waiting'> {
  await afterChanges(run, signal);
  if ((await suspend(run, outcome.wait)) === 'waiting') return 'waiting';
  return run.state.task.cancelRequested || run.state.task.interrupted
    ? 'done'
    : runOne(run, item, false, signal);
}

/** The result, preceded by what a person changed or remarked, if the model reads it. */
function withNote(
  outcome: Exclude<KeptOutcome, { kind: 'wait' | 'signal' }>,
  note: string | null,
): Exclude<KeptOutcome, { kind: 'wait' | 'signal' }> {
  return note === null || !('output' in outcome) || typeof outcome.output !== 'string'
    ? outcome
    : ({ ...outcome, output: noted(note, outcome.output) } as typeof outcome);
}

/** The step pieces that an outcome stands for. */
function recordingOf(
  run: Run,
  call: ToolCallRecord,
  outcome: Exclude<KeptOutcome, { kind: 'wait' | 'signal' }>,
): Recording {
  switch (outcome.kind) {
    case 'result':
      return ended(run, call, {
        status: outcome.isError === true ? 'errored' : 'done',
        isError: outcome.isError === true,
        text: outcome.output,
        media: outcome.media,
      });
    case 'todos': {
      const base = ended(run, call, { status: 'done', isError: false, text: outcome.output });
      return {
        ...base,
        patch: { todos: outcome.todos },
        events: [...(base.events ?? []), { type: 'todo.updated', data: { todos: [...outcome.todos] } }],
      };
    }
    case 'switch': {
      const base = ended(run, call, { status: 'done', isError: false, text: outcome.output });
      const { autonomy: from } = run.state.task;
      const data = { from, to: outcome.autonomy, by: 'agent' as const };
      return {
        ...base,
        patch: { autonomy: outcome.autonomy },
        events: [...(base.events ?? []), { type: 'autonomy.switched', data }],
      };
    }
    case 'complete':
      return ended(
        run,
        { ...call, completesTask: true },
        { status: 'done', isError: false, text: 'The result was accepted.' },
      );
    case 'spawn': {
      const id = run.deps.newId('task');
      const base = ended(
        run,
        { ...call, childTaskId: id },
        {
          status: 'done',
          isError: false,
          text: JSON.stringify({ taskId: id, workspace: outcome.workspace }),
        },
      );
      const spawned = { taskId: id, title: outcome.child.title, agent: outcome.child.definition.name };
      return {
        ...base,
        children: [{ ...outcome.child, id, callId: call.id, base: outcome.base }],
        events: [...(base.events ?? []), { type: 'subtask.spawned', data: spawned }],
      };
    }
  }
}

function ended(
  run: Run,
  call: ToolCallRecord,
  end: { status: 'done' | 'errored'; isError: boolean; text: string; media?: readonly Media[] | undefined },
): Recording {
  const { media = [] } = end;
  const now = run.deps.now();
  const text = run.deps.masker.mask(cleanText(end.text));
  const durationMs = call.startedAt ? Math.max(0, now - call.startedAt.getTime()) : 0;
  const { withdrawn, events } = withdrawing(run.state.unanswered().filter((item) => item.callId === call.id));
  return {
    withdrawn,
    toolCalls: [
      {
        ...call,
        status: end.status,
        isError: end.isError,
        media: media.length === 0 ? null : media,
        ...capOutput(text, call.id, run.tools.get(call.tool)?.outputCap, run.tools.has(READ_TOOL_OUTPUT)),
        endedAt: new Date(now),
      },
    ],
    events: [
      ...events,
      {
        type: 'tool.finished',
        data: {
          callId: call.id,
          tool: call.tool,
          turn: call.turn,
          state: end.status,
          durationMs,
          preview: preview(text, 500),
          ...(media.length > 0 && { media: [...media] }),
        },
      },
    ],
  };
}

/** True when calls of this tool may run side by side. */
function isReadOnly(tool: Tool): boolean {
  return tool.group === 'read';
}

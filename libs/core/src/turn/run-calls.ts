/**
 * Runs the tool calls of a turn. Read-only calls run side by side, the others one by one in the order of the calls. Each call's
 * intent is committed before it starts, but for those that are nothing but rows, and each gets exactly one result whatever happens.
 */
import { assertLease } from './assert-lease.js';
import { opening, waitForPeople, withdrawing } from './ask-person.js';
import { signalResult } from '../conversation/mode-note.js';
import { contextOf, outcomeOf } from './call.js';
import { ended, startOf } from './call-rows.js';
import { afterChanges, beforeChanges } from './checkpoints.js';
import { conclude, refuse } from './end-call.js';
import { recheck } from './recheck.js';
import { review, type Ready, type Review } from './review.js';
import { kept } from './keep-media.js';
import { placed } from './place-child.js';
import { fireTrigger } from './modes.js';
import { isOver, type Run } from './run.js';
import { suspend } from './suspend.js';
import { runWithinStep } from './within-step.js';
import type { InteractionRecord, NewInteraction, ToolCallRecord } from '../task/task.js';
import type { ToolOutcome } from '../ports/tool.js';

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
  for (;;) {
    await runWithinStep(run, later, signal);
    if (later.length === 0 || isOver(run, signal)) return 'done';
    const batch = nextBatch(run, later);
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
      for (const item of ready) recordIntent(run, item);
      await run.state.commit();
      if (run.state.mustStop() || signal.aborted) return 'done';
      const { ready: still, refused } = await recheck(run, ready, { autonomy, mode });
      for (const { call, reason } of refused) await refuse(run, call, reason);
      const ends = await Promise.all(still.map((item) => runOne(run, item, still.length > 1, signal)));
      if (ends.includes('waiting')) return 'waiting';
      if (isOver(run, signal)) return 'done';
    }
    if (reviews.some(({ kind }) => kind === 'ask')) {
      await afterChanges(run, signal);
      return waitForConsent(run, reviews, later);
    }
  }
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

/** Takes the next calls out: neighbouring read-only ones together, everything else alone. */
function nextBatch({ tools }: Run, calls: ToolCallRecord[]): ToolCallRecord[] {
  const other = calls.findIndex(({ tool }) => tools.get(tool)?.group !== 'read');
  const reads = other < 0 ? calls.length : other;
  return calls.splice(0, Math.min(Math.max(reads, 1), MAX_PARALLEL));
}

function recordIntent(run: Run, item: Ready): void {
  const { started, events } = startOf(run, item);
  run.state.record({ toolCalls: [started], events });
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
  conclude(run, item, call, outcome);
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

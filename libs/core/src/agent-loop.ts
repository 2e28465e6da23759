/**
 * The agent loop: drives one leased task until it ends or must wait.
 *
 * A turn is one model call and the tool calls that it asked for. What comes next is a pure function of the stored state
 * (`next-move.ts`), so a run after a crash is an ordinary run. The order is always intent, effect, result: everything recorded
 * is committed before an effect begins, and result n shares its transaction with intent n+1. Nothing here knows a database,
 * a queue, a clock or a provider; they come in as `deps`.
 */
import { AppError, assertNever, errorText, type DurableEventBody } from '@bullpen/contracts';
import { askAboutTask, awaitMessage, withdrawing } from './turn/ask-person.js';
import { brief, rulesOfPlaces, tellDate } from './turn/brief.js';
import { callModel } from './turn/call-model.js';
import { afterChanges, noChanges, store } from './turn/checkpoints.js';
import { writeOffStarted } from './turn/model-usage.js';
import { failedEnd, nextMove, isOpen } from './decide/next-move.js';
import { followWords } from './turn/follow-words.js';
import { tellMode } from './turn/modes.js';
import { rollBack } from './turn/rollback.js';
import { closeCalls, interrupt, leave } from './turn/leave.js';
import { tellTakeover } from './turn/takeover.js';
import type { LoopDeps } from './ports/loop-deps.js';
import { withMasking } from './turn/masked-store.js';
import type { Run, RunEnd } from './turn/run.js';
import { tellWorkspace } from './turn/moved.js';
import { isSetupDue, setUp } from './turn/set-up.js';
import { runCalls } from './turn/run-calls.js';
import { emptyStep } from './turn/draft.js';
import { RunState } from './turn/run-state.js';
import { brokenOffBy, mayPass, withKnownErrors } from './turn/store-errors.js';
import { suspend } from './turn/suspend.js';
import { isPaused } from './task/answer-end.js';
import type { Lease, TaskOutcome } from './task/task.js';
import { cleanText } from './task/text.js';
import { harnessText } from './conversation/prompts.js';
import { recordUserMessage, unansweredResults, userMessage } from './turn/record-user-message.js';
import { toolResult } from './conversation/user-message.js';
import type { Tool } from './ports/tool.js';

/** Whoever waits for a run to stop does not wait longer than this for its last checkpoint. */
const LAST_CHECKPOINT_MS = 5_000;

/** A workspace that is in use on another machine is asked for again after this time. */
const BUSY_MS = 2_000;

/** After this many lost leases in a row without progress, a task counts as poison. */
const MAX_CRASHES = 3;

/**
 * Runs a leased task. The signal stops it at once (lease lost, cancel, hard shutdown); a cancel is told apart by the row. Throws
 * only errors that may pass: an `AppError` that is `retryable`, because the store could not be reached. Anything else that is
 * thrown during a run (by a workspace, a tool's construction, a bug of ours) ends the task with its own text.
 */
export async function runTask(lease: Lease, given: LoopDeps, signal: AbortSignal): Promise<RunEnd> {
  const known = withKnownErrors(given);
  const deps = { ...given, ...known, store: withMasking(known.store, given.masker) };
  for (;;) {
    const end = await runLoaded(lease, deps, signal);
    if (end !== 'reload') return end;
  }
}

/** Runs a task from what is stored. `reload`: the history was rewound, and what is in memory no longer counts. */
async function runLoaded(lease: Lease, deps: LoopDeps, signal: AbortSignal): Promise<RunEnd | 'reload'> {
  let loaded: Loaded | null = null;
  try {
    loaded = await load(lease, deps);
    if (loaded === null) return { kind: 'stopped' };
    const run = await prepare(loaded, deps, signal);
    return 'kind' in run ? run : await drive(run, signal);
  } catch (thrown) {
    const error = brokenOffBy(thrown, deps.store);
    if (isLeaseLost(error)) return { kind: 'stopped' };
    if (mayPass(error) && !signal.aborted) throw error;
    // A paid answer may be waiting there. It may also be what was wrong: then the store has refused it.
    await loaded?.state.flush().catch(() => undefined);
    return afterThrow(error, lease, deps, signal);
  }
}

interface Loaded {
  readonly state: RunState;
  readonly activeMs: () => number;
}

/** The stored state of the task; null when the lease is lost. */
async function load(lease: Lease, deps: LoopDeps): Promise<Loaded | null> {
  const startedAt = deps.now();
  const snapshot = await deps.store.load(lease);
  if (snapshot === null) return null;
  const activeMs = () => snapshot.task.activeMs + Math.max(0, deps.now() - startedAt);
  return { state: new RunState(lease, snapshot, deps.store, activeMs), activeMs };
}

/**
 * A run broke off. Its task goes on from what is stored, or ends with the error: what this run had in memory may have been the
 * problem.
 */
async function afterThrow(
  error: unknown,
  lease: Lease,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<RunEnd> {
  try {
    const loaded = await load(lease, deps);
    if (loaded === null) return { kind: 'stopped' };
    // Code that is told to stop says so by throwing; that is not an error of the task.
    if (signal.aborted) return await afterAbort(loaded.state, deps);
    return { ...(await end(loaded.state, deps, outcomeOf(error))), fault: error };
  } catch (again) {
    if (isLeaseLost(again)) return { kind: 'stopped' };
    if (mayPass(again)) throw again;
    return endBarely(lease, deps, error);
  }
}

/** Ends a task whose history cannot be read or closed; its rows stay as they are. */
async function endBarely(lease: Lease, deps: LoopDeps, fault: unknown): Promise<RunEnd> {
  const outcome = outcomeOf(fault);
  const result = await deps.store.commit(lease, { ...emptyStep(), end: { kind: 'finish', outcome } });
  return result.kind === 'fenced' ? { kind: 'stopped' } : { kind: 'finished', outcome, fault };
}

function outcomeOf(error: unknown): TaskOutcome {
  const code = error instanceof AppError ? error.code : 'internal_error';
  return failedEnd('error', code, cleanText(errorText(error)));
}

function isLeaseLost(error: unknown): boolean {
  return error instanceof AppError && error.code === 'lease_lost';
}

/** Tools and workspace. */
async function prepare(
  { state, activeMs }: Loaded,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<Run | RunEnd> {
  if (state.task.cancelRequested) return end(state, deps, cancelled());
  if (state.task.crashes >= MAX_CRASHES) {
    const message = `The task took down ${state.task.crashes} workers in a row without completing a step, so it is not tried again.`;
    return end(state, deps, failedEnd('poison', 'internal_error', message));
  }
  const tell = (event: DurableEventBody) => state.record({ events: [event] });
  const workspace = await deps.workspace(state.task, state.lease, signal, tell);
  if (signal.aborted) return afterAbort(state, deps);
  if (workspace === 'busy') return comeBack(state, deps);
  const { path: workspacePath } = workspace;
  if (state.task.workspacePath !== workspacePath) state.record({ patch: { workspacePath } });
  const tools = deps.tools(state.task);
  const sandbox = sandboxOf(tools);
  if (sandbox !== undefined && state.task.sandbox !== sandbox) state.record({ patch: { sandbox } });
  const setup = { end: workspace.setup, isNews: false };
  const run = { state, deps, workspace, changes: noChanges(), setup, activeMs, tools };
  tellTakeover(run);
  // From then on it needs nothing of the task that it was forked from.
  if (workspace.isBorrowed) await store(run, 'start', signal);
  return run;
}

/** Holds nothing until its workspace may be free. */
async function comeBack(state: RunState, deps: LoopDeps): Promise<RunEnd> {
  const wait = { reason: 'backoff', mode: 'all', childIds: [], dueInMs: BUSY_MS } as const;
  return (await suspend({ state, deps }, wait)) === 'waiting' ? { kind: 'waiting' } : giveBack(state);
}

/** What holds the programs that these tools start; undefined: they start none. */
function sandboxOf(tools: ReadonlyMap<string, Tool>): string | undefined {
  return [...tools.values()].find(({ sandbox }) => sandbox !== undefined)?.sandbox;
}

/** The loop itself. */
async function drive(run: Run, signal: AbortSignal): Promise<RunEnd | 'reload'> {
  const { state, deps } = run;
  for (;;) {
    if (signal.aborted) return await leaveStored(run);
    await afterChanges(run, signal);
    if (state.task.pauseRequested && !state.task.cancelRequested) return pause(state, deps);
    if (deps.shouldYield()) return giveBack(state);
    const move = nextMove({ ...state, activeMs: run.activeMs(), now: deps.now() }, deps.validate);
    if (isSetupDue(run, move)) {
      if ((await setUp(run, signal)) === 'waiting') return { kind: 'waiting' };
      continue;
    }
    switch (move.kind) {
      case 'run_calls': {
        const after = await runCalls(run, move.calls, signal);
        if (after === 'waiting') return { kind: 'waiting' };
        break;
      }
      case 'leave':
        leave(state, deps, move.calls);
        break;
      case 'stop':
        interrupt(state, deps, move.calls);
        if ((await awaitMessage(run)) === 'waiting') return { kind: 'waiting' };
        break;
      case 'rollback':
        await rollBack(run);
        return 'reload';
      case 'call_model': {
        await brief(run, signal);
        // A paused answer goes on as it is: whatever else there is to say can wait for its end.
        const goesOn = isPaused(state.messages.at(-1)) && move.say.length === 0;
        const listens = move.phase === 'work' && state.task.inboxPending > 0 && !goesOn;
        const inbox = listens ? await state.takeInbox() : [];
        if (move.phase === 'work' && !goesOn) await followWords(run, inbox, signal);
        if (move.limit) state.record({ events: [{ type: 'limit.reached', data: move.limit }] });
        recordUserMessage(
          run,
          inbox,
          goesOn
            ? []
            : [
                ...(await rulesOfPlaces(run)),
                ...tellDate(run),
                ...tellWorkspace(run),
                ...(move.phase === 'work' ? tellMode(run) : []),
                ...move.say.map((say) => harnessText(say, run.state.task)),
              ],
          move.patch,
        );
        const after = await callModel(run, signal);
        if (after.kind === 'waiting') return { kind: 'waiting' };
        if (after.kind === 'ended') return end(state, deps, after.outcome);
        break;
      }
      case 'ask':
        if ((await askAboutTask(run, move.ask)) === 'waiting') return { kind: 'waiting' };
        break;
      case 'await_message':
        if ((await awaitMessage(run)) === 'waiting') return { kind: 'waiting' };
        break;
      case 'finish': {
        const after = await finish(state, deps, move.outcome);
        if (after.kind !== 'inbox_pending') return after;
        break; // A message came in meanwhile: the next move delivers it.
      }
      default:
        assertNever(move);
    }
  }
}

const cancelled = (): TaskOutcome => ({
  state: 'cancelled',
  cause: 'cancelled',
  output: null,
  partial: false,
  failure: null,
});

/**
 * Stores the end. Calls that are still open get a result that says they were not run, so that the history stays whole. A task
 * that reached its goal while a message waits does not end: `inbox_pending`.
 */
async function finish(
  state: RunState,
  deps: LoopDeps,
  outcome: TaskOutcome,
): Promise<RunEnd | { kind: 'inbox_pending' }> {
  writeOffStarted({ state, deps });
  closeCalls(state, deps, state.toolCalls.filter(isOpen), (call) => call.output ?? toolResult(call).content);
  state.record(withdrawing(state.unanswered()));
  const results = unansweredResults(state);
  const closing = results.length > 0 ? [userMessage(state, deps, results)] : [];
  const result = await state.commit({ messages: closing }, { kind: 'finish', outcome });
  return result.kind === 'inbox_pending' ? result : { kind: 'finished', outcome };
}

/** Gives the task back between two steps; another worker goes on from the same place. */
async function giveBack(state: RunState): Promise<RunEnd> {
  await state.commit({}, { kind: 'yield' });
  return { kind: 'yielded' };
}

/** Stops at a step boundary until somebody resumes the task. A rollback is left for then. */
async function pause(state: RunState, deps: LoopDeps): Promise<RunEnd> {
  if (state.task.interrupted && !state.task.rollback) leave(state, deps, state.toolCalls.filter(isOpen));
  await state.commit({}, { kind: 'pause' });
  return { kind: 'paused' };
}

/** However a run is stopped, what it has changed is stored as long as the task is its own. */
async function leaveStored(run: Run): Promise<RunEnd> {
  const { state, deps } = run;
  if (deps.holdsLease()) await afterChanges(run, deps.timeout(LAST_CHECKPOINT_MS));
  return afterAbort(state, deps);
}

/**
 * The signal fired. The row knows whether it was a cancel or a pause; anything else gives the task back (an interrupted one goes
 * on from there), or finds the lease gone.
 */
async function afterAbort(state: RunState, deps: LoopDeps): Promise<RunEnd> {
  await state.commit();
  if (state.task.cancelRequested) return end(state, deps, cancelled());
  return state.task.pauseRequested ? pause(state, deps) : giveBack(state);
}

/** An end that no message can delay. */
async function end(
  state: RunState,
  deps: LoopDeps,
  outcome: TaskOutcome,
): Promise<RunEnd & { kind: 'finished' }> {
  await finish(state, deps, outcome);
  return { kind: 'finished', outcome };
}

/** For logs: one line about how a run ended. */
export function describeEnd(end: RunEnd): string {
  return end.kind === 'finished' ? `${end.outcome.state} (${end.outcome.cause})` : end.kind;
}

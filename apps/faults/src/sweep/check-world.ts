/** Judges what a world left behind, against what was seen of it. One checker for every kind of store. */
import { addTokens, isTerminal, NO_TOKENS, type TokenUsage } from '@bullpen/contracts';
import { cutsInARow, LEGAL_MOVES, MAX_CUTS } from '@bullpen/core';
import type { TaskView, WorldView } from './backend.js';
import { checkHistory, endedUnrun } from './check-history.js';
import type { TaskWitness, Witness } from './witness.js';

/** Crashes in a row after which a task may be given up as poison. */
const POISON_CRASHES = 3;

/** Adds to the witness's violations whatever does not hold. */
export function checkWorld(view: WorldView, witness: Witness): void {
  const byId = new Map(view.tasks.map((task) => [task.id, task]));
  for (const seen of witness.tasks.values()) {
    const task = byId.get(seen.id);
    if (task) checkTask(task, seen, witness, byId);
    else witness.object('lost', `${seen.id} was accepted and is gone`);
  }
  for (const task of view.tasks) {
    if (!witness.tasks.has(task.id)) witness.object('other', `nobody saw ${task.id} being born`);
    checkParent(task, byId, witness);
  }
  checkMoney(view, witness);
}

function checkTask(
  task: TaskView,
  seen: TaskWitness,
  witness: Witness,
  byId: ReadonlyMap<string, TaskView>,
): void {
  if (!isTerminal(task.state)) witness.object('stuck', `${task.id} is ${task.state} for ever`);
  checkEnd(task, seen, witness, byId);
  checkMoves(task, witness);
  checkUsage(task, witness);
  checkCalls(task, seen, witness);
  checkHistory(task, seen, witness);
}

/** Only a goal is a success; a limit, a crash or a cancel never reads as one. */
function checkEnd(
  task: TaskView,
  seen: TaskWitness,
  witness: Witness,
  byId: ReadonlyMap<string, TaskView>,
): void {
  const { id, state, cause, failure } = task;
  const completed = state === 'completed';
  if (completed !== (cause === 'goal')) witness.object('other', `${id} is ${state} with the cause ${cause}`);
  if (completed && seen.limitReached)
    witness.object('other', `${id} reached a limit and is told as a success`);
  if ((failure !== null) !== (state === 'failed'))
    witness.object('other', `${id} is ${state} and has ${failure === null ? 'no' : 'a'} failure`);
  const wasCut = failure === 'answer_cut' && cutsInARow(task.messages) >= MAX_CUTS;
  if (cause === 'error' && failure !== 'model_failed' && !wasCut)
    witness.object('other', `${id} failed with ${failure}, and nothing in its plan does that`);
  if (cause === 'poison' && seen.leasesLost < POISON_CRASHES)
    witness.object('other', `${id} was given up as poison after ${seen.leasesLost} lost leases`);
  // No run told of an end at the deadline of a paused task; it takes what is below with it.
  if (cause === 'cancelled' && seen.cancelledAt === null && !ancestorsOf(task, byId).some(endedUnrun))
    witness.object('other', `${id} is cancelled, and nobody asked for it`);
  if (completed && task.inboxPending > 0)
    witness.object('lost', `${id} is completed with ${task.inboxPending} messages unread`);
}

function ancestorsOf({ parentId }: TaskView, byId: ReadonlyMap<string, TaskView>): readonly TaskView[] {
  const parent = parentId === null ? undefined : byId.get(parentId);
  return parent ? [parent, ...ancestorsOf(parent, byId)] : [];
}

/** The events tell one chain of legal moves that ends in the present state, with a wake for each time that it was queued. */
function checkMoves(task: TaskView, witness: Witness): void {
  let at = 'queued';
  let queued = 1;
  for (const event of task.events) {
    if (event.type !== 'task.status_changed') continue;
    const { from, to } = event.data;
    if (from !== at || !LEGAL_MOVES[from].includes(to))
      witness.object('other', `${task.id} was ${at}, and an event moves it from ${from} to ${to}`);
    at = to;
    if (to === 'queued') queued += 1;
  }
  if (at !== task.state) witness.object('other', `${task.id} is ${task.state}, and its events end at ${at}`);
  if (task.wake !== queued)
    witness.object('other', `${task.id} was queued ${queued} times and is at wake ${task.wake}`);
}

/** Each answered call is paid once, and the task's sums are those of its rows. */
function checkUsage(task: TaskView, witness: Witness): void {
  const paid = new Map<string, number>();
  for (const { modelCallId } of task.usageRows) paid.set(modelCallId, (paid.get(modelCallId) ?? 0) + 1);
  for (const [id, times] of paid)
    if (times > 1) witness.object('paid_twice', `model call ${id} of ${task.id} is charged ${times} times`);
  const answered = new Map<number, number>();
  for (const call of task.modelCalls) {
    if (call.status === 'started' && isTerminal(task.state))
      witness.object('other', `model call ${call.id} of ${task.id} is open for ever`);
    if (call.status !== 'done') continue;
    answered.set(call.turn, (answered.get(call.turn) ?? 0) + 1);
    if (!paid.has(call.id)) witness.object('other', `model call ${call.id} of ${task.id} was never charged`);
  }
  for (const [turn, times] of answered)
    if (times > 1) witness.object('paid_twice', `turn ${turn} of ${task.id} was answered ${times} times`);
  const sum = task.usageRows.reduce((total, { usage }) => addTokens(total, usage), NO_TOKENS);
  if (!sameTokens(sum, task.usage))
    witness.object('other', `${task.id} counts other tokens than its usage rows`);
  const cost = task.usageRows.reduce((total, { costNanoUsd }) => total + (costNanoUsd ?? 0n), 0n);
  if (cost !== task.costNanoUsd)
    witness.object('other', `${task.id} cost ${task.costNanoUsd}, and its rows add up to ${cost}`);
}

function sameTokens(a: TokenUsage, b: TokenUsage): boolean {
  return (
    a.inputTokens === b.inputTokens &&
    a.outputTokens === b.outputTokens &&
    a.cacheReadTokens === b.cacheReadTokens &&
    a.cacheWrite5mTokens === b.cacheWrite5mTokens &&
    a.cacheWrite1hTokens === b.cacheWrite1hTokens
  );
}

/** Nothing stays open, and a call with an effect that reads as done took effect once. */
function checkCalls(task: TaskView, seen: TaskWitness, witness: Witness): void {
  const announced = new Map<string, number>();
  for (const event of task.events) {
    if (event.type !== 'tool.started') continue;
    announced.set(event.data.callId, (announced.get(event.data.callId) ?? 0) + 1);
  }
  for (const call of task.calls) {
    const name = `${call.tool} (${call.id}) of ${task.id}`;
    if (isTerminal(task.state) && (call.status === 'generated' || call.status === 'calling'))
      witness.object('other', `${name} is ${call.status} for ever`);
    const most = 1;
    if ((announced.get(call.id) ?? 0) > most) witness.object('doubled', `${name} was announced twice`);
    if (call.tool === 'act' && call.status === 'done' && witness.effects.get(call.id) !== 1)
      witness.object(
        'lost',
        `${name} reads as done and took effect ${witness.effects.get(call.id) ?? 0} times`,
      );
  }
  if (task.epoch !== seen.epoch)
    witness.object('other', `${task.id} is at epoch ${task.epoch}, and ${seen.epoch} were seen`);
}

/** A parent that has ended leaves nothing behind that goes on. */
function checkParent(task: TaskView, byId: ReadonlyMap<string, TaskView>, witness: Witness): void {
  if (task.parentId === null) return;
  const parent = byId.get(task.parentId);
  if (!parent) return witness.object('lost', `the parent of ${task.id} is gone`);
  const told = parent.events.filter(
    (event) => event.type === 'subtask.ended' && event.data.taskId === task.id,
  );
  if (told.length > 1)
    witness.object('doubled', `${parent.id} heard ${told.length} times that ${task.id} ended`);
}

/** The account of the tree is the sum of its tasks, within its limit, with nothing reserved once all is over. */
function checkMoney({ tasks, account }: WorldView, witness: Witness): void {
  const cost = tasks.reduce((sum, task) => sum + task.costNanoUsd, 0n);
  if (cost !== account.spent)
    witness.object('other', `the tree cost ${cost}, and its account says ${account.spent}`);
  if (account.reserved !== 0n && tasks.every(({ state }) => isTerminal(state)))
    witness.object('other', `${account.reserved} nano-dollars stay reserved`);
  if (account.limit !== null && account.spent > account.limit)
    witness.object('other', `the tree spent ${account.spent} of ${account.limit}`);
}

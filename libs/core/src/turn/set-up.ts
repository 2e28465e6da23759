/**
 * The setup command of a workspace, run in each copy of it before the agent works there. It is judged, held and streamed as a command of the
 * agent's would be, but no answer of the model asked for it. Its end is stored with the workspace; a run that breaks off before runs it again.
 */
import { assertLease } from './assert-lease.js';
import { opening, waitForPeople, withdrawing } from './ask-person.js';
import { contextOf, outcomeOf } from './call.js';
import { beforeChanges } from './checkpoints.js';
import { judge, type Ready, type Review } from './review.js';
import type { Run } from './run.js';
import { noted } from '../conversation/consent-note.js';
import { isOffered } from '../decide/offer.js';
import type { Move } from '../decide/next-move.js';
import type { SetupEnd } from '../ports/workspace.js';
import type { ToolCallRecord } from '../task/task.js';
import { cleanText, ending, preview } from '../task/text.js';

/** As long as a call may wait for a command. */
const LIMIT_MS = 600_000;
/** So much of what it puts out is kept with its end, in characters. */
const SHOWN = 4_000;

/** Whether the setup has to run before this move. One that the autonomy withholds waits until that changes. */
export function isSetupDue({ state, setup, deps }: Run, move: Move): boolean {
  if (state.task.workspace.setup === undefined || setup.end !== null) return false;
  const works = move.kind === 'run_calls' || (move.kind === 'call_model' && move.phase === 'work');
  return works && isOffered(deps.setupTool, state.task);
}

/** Runs it, or asks whether it may run. `again`: look at what comes next, which is the setup again if something came between. */
export async function setUp(run: Run, signal: AbortSignal): Promise<'again' | 'waiting'> {
  await run.state.refreshLayers();
  const found = await review(run);
  if (found.kind === 'ask') return askForConsent(run, found);
  if (found.kind === 'refuse') recordEnd(run, 'refused', found.reason, 0);
  else await runCommand(run, found, signal);
  return 'again';
}

async function review(run: Run): Promise<Review> {
  const { setupTool: tool } = run.deps;
  const call = callOf(run);
  const parsed = tool.parse(call.arguments);
  if (!parsed.ok) return { kind: 'refuse', call, reason: parsed.issues.join('; ') };
  return judge(run, { call, tool, bound: parsed.call }, (of) => contextOf(run, of));
}

/** As a call would be that is in no answer. The same in each run: what a person has answered counts for this copy. */
function callOf({ state, deps, workspace }: Run): ToolCallRecord {
  const none = { messageId: '', toolUseId: '', rawArguments: '', position: 0 };
  const notRun = {
    output: null,
    fullOutput: null,
    media: null,
    isError: false,
    childTaskId: null,
    completesTask: false,
  };
  return {
    ...{
      ...none,
      ...notRun,
      startedAt: null,
      endedAt: null,
      startedEpoch: null,
      sandbox: null,
      approval: null,
    },
    id: `setup_${state.task.workspaceId}_${workspace.epoch}`,
    turn: state.task.turns,
    tool: deps.setupTool.name,
    status: 'generated',
    arguments: { command: commandOf(state), timeoutMs: LIMIT_MS },
  };
}

async function askForConsent(
  run: Run,
  { pending, open, withdraw }: Extract<Review, { kind: 'ask' }>,
): Promise<'again' | 'waiting'> {
  const { state } = run;
  state.record(withdrawing(state.interactions.filter(({ id }) => withdraw.includes(id))));
  const asked = open === null ? [] : [{ ...open, title: preview(`setup: ${commandOf(state)}`, 200) }];
  const ids = [...asked.map(({ id }) => id), ...(pending === null ? [] : [pending])];
  return waitForPeople(run, opening(asked), ids, 'approval');
}

async function runCommand(run: Run, ready: Ready, signal: AbortSignal): Promise<void> {
  const { state, deps } = run;
  const { call, tool, note } = ready;
  await beforeChanges(run, [tool.group], signal);
  const { sandbox } = tool;
  const command = { callId: call.id, command: commandOf(state), ...(sandbox !== undefined && { sandbox }) };
  state.record({ events: [{ type: 'workspace.setup_started', data: command }] });
  await state.commit();
  if (state.mustStop() || signal.aborted) return;
  assertLease(run);
  const startedAt = deps.now();
  const outcome = await outcomeOf(run, ready, signal);
  const failed = outcome.kind !== 'result' || outcome.isError === true;
  // Stopped by us, not by itself: it runs again when the task goes on.
  if (signal.aborted && failed) return;
  const output = 'output' in outcome ? outcome.output : '';
  const [how = '', ...lines] = deps.masker.mask(cleanText(noted(note, output))).split('\n');
  const text = [how, ending(lines.join('\n'), SHOWN)].join('\n');
  recordEnd(run, failed ? 'failed' : 'done', text, deps.now() - startedAt);
}

/** The agent is told of any end, and goes on: it may be able to mend what failed, or do without it. */
function recordEnd(run: Run, end: SetupEnd['state'], text: string, durationMs: number): void {
  const { state, setup, workspace } = run;
  const { id: callId } = callOf(run);
  setup.end = { workspaceId: state.task.workspaceId, epoch: workspace.epoch, state: end, text };
  setup.isNews = true;
  const data = { callId, command: commandOf(state), state: end, durationMs, output: text };
  state.record({ setups: [setup.end], events: [{ type: 'workspace.setup_finished', data }] });
}

function commandOf({ task }: Run['state']): string {
  return task.workspace.setup ?? '';
}

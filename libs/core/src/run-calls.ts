/**
 * Runs the tool calls of a turn. Calls that only read run side by side, the others one by one in the order of the calls.
 * Each call's intent is committed before it starts, and each gets exactly one result whatever happens.
 */
import type { Json } from '@bullpen/contracts';
import { decideApproval } from './approval.js';
import { loopProblem } from './loop-detection.js';
import { cutOffResult } from './prompts.js';
import type { Run } from './run.js';
import type { Recording } from './run-state.js';
import type { ToolCallRecord } from './task.js';
import { capOutput, cleanText, errorText, preview } from './text.js';
import { isReadOnly, type Tool, type ToolContext, type ToolOutcome } from './tool.js';

/** Read-only calls that run at the same time, at most. */
const MAX_PARALLEL = 8;

interface Ready {
  readonly call: ToolCallRecord;
  readonly tool: Tool;
  readonly args: Json;
}

/** Runs `calls` (all still open). `waiting`: one of them suspended the task. Returns early when the signal fires or a cancel came. */
export async function runCalls(
  run: Run,
  calls: readonly ToolCallRecord[],
  signal: AbortSignal,
): Promise<'done' | 'waiting'> {
  for (const batch of batches(run, calls)) {
    const ready = batch.flatMap((call) => check(run, call) ?? []);
    if (ready.length === 0) continue;
    recordIntents(run, ready);
    await run.state.commit();
    if (run.state.mustStop() || signal.aborted) return 'done';
    const ends = await Promise.all(ready.map((item) => runOne(run, item, ready.length > 1, signal)));
    if (ends.includes('waiting')) return 'waiting';
    if (signal.aborted || run.deps.shouldYield() || run.state.mustStop()) return 'done';
  }
  return 'done';
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

/** What must hold before a call may start. A call that may not run is answered at once and gives nothing. */
function check(run: Run, call: ToolCallRecord): Ready | null {
  const tool = run.tools.get(call.tool);
  if (!tool) {
    const offered = [...run.tools.keys()].join(', ');
    return refuse(run, call, `There is no tool named ${call.tool} in this task. Tools on offer: ${offered}.`);
  }
  if (call.status === 'calling' && tool.resume === 'report')
    return refuse(run, call, cutOffResult(call.tool));
  const parsed = tool.parse(call.arguments ?? {});
  if (!parsed.ok)
    return refuse(
      run,
      call,
      `Invalid arguments for ${call.tool}:\n${parsed.issues.map((issue) => `- ${issue}`).join('\n')}`,
    );
  // A call that had begun before a crash is no repetition of itself.
  const loop =
    tool.polls === true || call.status === 'calling'
      ? null
      : loopProblem(run.state.messages, call.tool, call.arguments ?? {});
  if (loop !== null) return refuse(run, call, loop);
  const approval = decideApproval(tool.name, tool.group, run.state.task.definition.approvals);
  if (approval.verdict === 'deny') return refuse(run, { ...call, approval }, approval.reason);
  return { call: { ...call, approval }, tool, args: parsed.value };
}

function refuse(run: Run, call: ToolCallRecord, reason: string): null {
  run.state.record(ended(run, call, { status: 'errored', isError: true, text: reason }));
  return null;
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
        },
      ],
      events: first
        ? [
            {
              type: 'tool.started',
              data: { callId: call.id, tool: tool.name, turn: call.turn, arguments: call.arguments },
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
  const call = run.state.toolCalls.find(({ id }) => id === item.call.id) ?? item.call;
  const outcome = await outcomeOf(run, item, signal);
  // A tool that our own stop cut off has no result: its resume policy decides when the task goes on.
  if (signal.aborted && outcome.kind === 'result' && outcome.isError === true) return 'done';
  if (outcome.kind === 'wait') return suspend(run, item, outcome, signal);
  run.state.record(recordingOf(run, call, outcome));
  if (inBatch) await run.state.flush();
  return 'done';
}

async function outcomeOf(run: Run, { call, tool, args }: Ready, signal: AbortSignal): Promise<ToolOutcome> {
  try {
    return await tool.run(args, contextOf(run, call), signal);
  } catch (error) {
    return { kind: 'result', output: `${tool.name} failed: ${errorText(error)}`, isError: true };
  }
}

/**
 * Suspends the task on what the call waits for. When that is already satisfied the call runs again and finds it so; when somebody
 * cancelled or interrupted the task nothing waits any more.
 */
async function suspend(
  run: Run,
  item: Ready,
  outcome: Extract<ToolOutcome, { kind: 'wait' }>,
  signal: AbortSignal,
): Promise<'done' | 'waiting'> {
  const result = await run.state.commit(
    {},
    { kind: 'suspend', waitId: run.deps.newId('wait'), wait: outcome.wait },
  );
  if (result.kind !== 'not_suspended') return 'waiting';
  return run.state.task.cancelRequested || run.state.task.interrupted
    ? 'done'
    : runOne(run, item, false, signal);
}

/** The step pieces that an outcome stands for. */
function recordingOf(
  run: Run,
  call: ToolCallRecord,
  outcome: Exclude<ToolOutcome, { kind: 'wait' }>,
): Recording {
  switch (outcome.kind) {
    case 'result':
      return ended(run, call, {
        status: outcome.isError === true ? 'errored' : 'done',
        isError: outcome.isError === true,
        text: outcome.output,
      });
    case 'todos': {
      const base = ended(run, call, { status: 'done', isError: false, text: outcome.output });
      return {
        ...base,
        patch: { todos: outcome.todos },
        events: [...(base.events ?? []), { type: 'todo.updated', data: { todos: [...outcome.todos] } }],
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
        { status: 'done', isError: false, text: JSON.stringify({ taskId: id }) },
      );
      const spawned = { taskId: id, title: outcome.child.title, agent: outcome.child.definition.name };
      return {
        ...base,
        children: [{ ...outcome.child, id, callId: call.id }],
        events: [...(base.events ?? []), { type: 'subtask.spawned', data: spawned }],
      };
    }
  }
}

function ended(
  run: Run,
  call: ToolCallRecord,
  end: { status: 'done' | 'errored'; isError: boolean; text: string },
): Recording {
  const now = run.deps.now();
  const text = cleanText(end.text);
  const durationMs = call.startedAt ? Math.max(0, now - call.startedAt.getTime()) : 0;
  return {
    toolCalls: [
      {
        ...call,
        status: end.status,
        isError: end.isError,
        ...capOutput(text, call.id, run.tools.get(call.tool)?.outputCap),
        endedAt: new Date(now),
      },
    ],
    events: [
      {
        type: 'tool.finished',
        data: {
          callId: call.id,
          tool: call.tool,
          turn: call.turn,
          state: end.status,
          durationMs,
          preview: preview(text, 500),
        },
      },
    ],
  };
}

function contextOf(run: Run, call: ToolCallRecord): ToolContext {
  const { state, deps } = run;
  const { id, rootId, depth } = state.task;
  let offset = 0;
  return {
    taskId: id,
    rootId,
    depth,
    callId: call.id,
    workspacePath: run.workspacePath,
    onOutput: (text) => {
      deps.emit(id, { type: 'tool.output_delta', data: { callId: call.id, offset, text } });
      offset += text.length;
    },
    children: (ids) => deps.store.children(id, ids),
    storedOutput: (callId) => deps.store.storedOutput(id, callId),
  };
}

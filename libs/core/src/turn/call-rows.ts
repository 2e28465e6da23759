/** A call as rows of a step: its start, its end, and what its outcome stands for. */
import type { DurableEventBody, Media } from '@bullpen/contracts';
import type { ToolCallRecord } from '../task/task.js';
import { capOutput, cleanText, preview, READ_TOOL_OUTPUT } from '../task/text.js';
import { withdrawing } from './ask-person.js';
import type { Recording } from './draft.js';
import type { KeptOutcome } from './keep-media.js';
import type { Ready } from './review.js';
import type { Run } from './run.js';

/** An outcome that is rows of the step and nothing else: nothing has to be waited for, or found out, before it is stored. */
export type RowsOutcome = Exclude<KeptOutcome, { kind: 'wait' | 'signal' }>;

/** The call, started now. One that a lost worker had started is not announced again. */
export function startOf(
  { state, deps }: Run,
  { call, tool }: Ready,
): { readonly started: ToolCallRecord; readonly events: readonly DurableEventBody[] } {
  const { id: callId, turn, arguments: args } = call;
  const startedAt = call.startedAt ?? new Date(deps.now());
  const { name, sandbox } = tool;
  const data = { callId, tool: name, turn, arguments: args, ...(sandbox !== undefined && { sandbox }) };
  return {
    started: {
      ...call,
      status: 'calling',
      startedAt,
      startedEpoch: state.lease.epoch,
      sandbox: sandbox ?? null,
    },
    events: call.status === 'generated' ? [{ type: 'tool.started', data }] : [],
  };
}

/** The end of a call with this outcome, and what else the step holds of it. */
export function endOf(run: Run, call: ToolCallRecord, outcome: RowsOutcome): Recording {
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

/** A call whose result is this text. */
export function ended(
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

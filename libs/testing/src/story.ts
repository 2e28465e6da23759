/** Writes event sequences for specs of renderers: ids, sequence numbers and times come by themselves. */
import type { DurableEventBody, LiveDelta, TaskEvent, TaskState, UsageTotals } from '@bullpen/contracts';

export const ROOT = `task_${'0'.repeat(26)}`;
export const START = Date.parse('2026-01-01T00:00:00.000Z');

/** A story of one tree. Each call gives one event, a second after the one before unless `wait` says otherwise. */
export function aStory(rootId = ROOT) {
  const seqs = new Map<string, number>();
  let now = START - 1_000;
  let order = 0;

  function tell(taskId: string, body: DurableEventBody): TaskEvent {
    now += 1_000;
    order += 1;
    const seq = (seqs.get(taskId) ?? 0) + 1;
    seqs.set(taskId, seq);
    return { ...body, taskId, rootId, seq, cursor: `${order}-${seq}`, at: new Date(now).toISOString() };
  }

  return {
    wait: (ms: number) => (now += ms),
    tell,
    created: (
      taskId: string,
      title: string,
      parentId: string | null = taskId === rootId ? null : rootId,
      depth = parentId === null ? 0 : 1,
    ) =>
      tell(taskId, {
        type: 'task.created',
        data: { title, agent: 'tester', model: 'claude-test', parentId, depth, prompt: title },
      }),
    state: (taskId: string, from: TaskState, to: TaskState, more: object = {}) =>
      tell(taskId, { type: 'task.status_changed', data: { from, to, ...more } }),
    says: (taskId: string, text: string, turn = 1, messageId = `msg_${taskId}_${turn}`) =>
      tell(taskId, { type: 'message.agent', data: { messageId, turn, text } }),
    calls: (taskId: string, tool: string, args: Record<string, string>, sandbox?: string) =>
      tell(taskId, {
        type: 'tool.started',
        data: {
          callId: `call_${tool}`,
          tool,
          turn: 1,
          arguments: args,
          ...(sandbox !== undefined && { sandbox }),
        },
      }),
    called: (
      taskId: string,
      tool: string,
      state: 'done' | 'errored' | 'canceled',
      preview: string,
      durationMs = 12,
    ) =>
      tell(taskId, {
        type: 'tool.finished',
        data: { callId: `call_${tool}`, tool, turn: 1, state, durationMs, preview },
      }),
    paid: (taskId: string, costUsd: string, inputTokens = 1_000, outputTokens = 50) =>
      tell(taskId, {
        type: 'usage.recorded',
        data: {
          modelCallId: `mcall_${order}`,
          model: 'claude-test',
          costUsd,
          usage: {
            inputTokens,
            outputTokens,
            cacheReadTokens: 0,
            cacheWrite5mTokens: 0,
            cacheWrite1hTokens: 0,
          },
        },
      }),
    piece: (taskId: string, text: string, offset: number, messageId = `msg_${taskId}_1`): LiveDelta => ({
      type: 'message.delta',
      data: { messageId, offset, text },
      taskId,
      rootId,
      afterSeq: seqs.get(taskId) ?? 0,
    }),
  };
}

/** Totals with nothing in them but what is given. */
export function someTotals(totals: Partial<UsageTotals> = {}): UsageTotals {
  return {
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    modelCalls: 0,
    costUsd: '0.00',
    unpricedCalls: 0,
    estimatedCalls: 0,
    simulated: false,
    ...totals,
  };
}

/** What the played agents of the fan-in write: an agent that may spawn that many, messages, calls. */
import { NO_TOKENS, type ContentBlock } from '@bullpen/contracts';
import type { StoredMessage, ToolCallRecord } from '@bullpen/core';
import { builtInAgents } from '@bullpen/extensions';
import { newId } from '@bullpen/platform';

/** An agent that may spawn ten thousand subtasks and pays nothing. Throws where the built-in agents have changed. */
export function definition() {
  const general = builtInAgents().find(({ name }) => name === 'general');
  if (general === undefined) throw new Error('There is no agent for the fan-in');
  return { ...general, model: 'played', limits: { ...general.limits, subtasks: 10_000, costUsd: null } };
}

/** A stored message with an id of its own. */
export function message(
  seq: number,
  turn: number,
  role: StoredMessage['role'],
  content: readonly ContentBlock[],
  stopReason: string | null,
): StoredMessage {
  return { id: newId('msg'), seq, turn, role, content, stopReason };
}

/** A call without arguments, as a model writes it. */
export function toolUse(id: string, name: string): ContentBlock {
  return { type: 'tool_use', id: `toolu_${id}`, name, input: {} };
}

/** The result for the call of the same id. */
export function toolResult(id: string, content: string): ContentBlock {
  return { type: 'tool_result', tool_use_id: `toolu_${id}`, content };
}

/** A call that has run; of a spawn `id` is the subtask. */
export function call(
  { id: messageId, turn }: StoredMessage,
  position: number,
  id: string,
  tool: string,
  startedEpoch: number,
): ToolCallRecord {
  const spawns = tool === 'spawn_subtask';
  return {
    ...{ id: newId('call'), messageId, turn, position, toolUseId: `toolu_${id}`, tool, status: 'done' },
    ...{
      rawArguments: '{}',
      arguments: {},
      approval: null,
      output: spawns ? id : null,
      fullOutput: null,
      media: null,
      isError: false,
    },
    ...{
      childTaskId: spawns ? id : null,
      sandbox: null,
      startedAt: new Date(),
      endedAt: spawns ? new Date() : null,
    },
    ...{ completesTask: false, startedEpoch },
  };
}

/** What an answer leaves beside its message: the call of the model, and what it cost, which is nothing. */
export function answered(turn: number) {
  const at = new Date();
  const modelCall = {
    ...{
      id: newId('mcall'),
      turn,
      attempt: 1,
      taskAttempt: 1,
      phase: 'work' as const,
      profile: 'played',
      model: 'played',
      status: 'done' as const,
    },
    ...{
      requestHash: '',
      requestMessages: 1,
      reservedNanoUsd: 0n,
      providerRequestId: null,
      stopReason: 'end_turn',
    },
    ...{ context: null, firstByteMs: null, firstTextMs: null },
    ...{ errorClass: null, errorMessage: null, retryDelayMs: null, startedAt: at, endedAt: at },
  };
  const use = { modelCallId: modelCall.id, model: 'played', usage: NO_TOKENS, price: null, costNanoUsd: 0n };
  return { modelCalls: [modelCall], usage: [{ ...use, estimated: false, simulated: true }] };
}

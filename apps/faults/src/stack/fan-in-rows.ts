/** What the played agents of the fan-in write: an agent that may spawn that many, messages, calls. */
import type { ContentBlock } from '@bullpen/contracts';
import { BUILTIN_AGENTS, type StoredMessage, type ToolCallRecord } from '@bullpen/core';
import { newId } from '@bullpen/platform';

export function definition() {
  const general = BUILTIN_AGENTS.find(({ name }) => name === 'general');
  if (general === undefined) throw new Error('There is no agent for the fan-in');
  return { ...general, limits: { ...general.limits, subtasks: 20_000 } };
}

export function message(
  seq: number,
  turn: number,
  role: StoredMessage['role'],
  content: readonly ContentBlock[],
  stopReason: string | null,
): StoredMessage {
  return { id: newId('msg'), seq, turn, role, content, stopReason };
}

export function toolUse(id: string, name: string): ContentBlock {
  return { type: 'tool_use', id: `toolu_${id}`, name, input: {} };
}

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
      isError: false,
    },
    ...{ childTaskId: spawns ? id : null, startedAt: new Date(), endedAt: spawns ? new Date() : null },
    ...{ completesTask: false, startedEpoch },
  };
}

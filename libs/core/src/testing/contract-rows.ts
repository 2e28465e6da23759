/** Rows that the contracts of the task store write: what does not matter is always the same. */
import type { AgentDefinition, Diffstat } from '@bullpen/contracts';
import type { NewCheckpoint } from '../task/checkpoint.js';
import type { NewChild, StoredMessage, ToolCallRecord } from '../task/task.js';

interface Ids {
  newId(prefix: 'msg' | 'call' | 'task' | 'ckpt'): string;
}

const AT = new Date('2026-01-02T03:04:05.678Z');

/** A message of turn 1 with the text `x`; the assistant's unless told otherwise. */
export function saidRow(ids: Ids, seq: number, more: Partial<StoredMessage> = {}): StoredMessage {
  const { role = 'assistant' } = more;
  return {
    id: ids.newId('msg'),
    seq,
    turn: 1,
    role,
    content: [{ type: 'text', text: 'x' }],
    stopReason: role === 'assistant' ? 'end_turn' : null,
    ...more,
  };
}

/** A call of turn 1 that has started. */
export function calledRow(ids: Ids, messageId: string, more: Partial<ToolCallRecord> = {}): ToolCallRecord {
  return {
    id: ids.newId('call'),
    messageId,
    turn: 1,
    position: 0,
    toolUseId: ids.newId('call'),
    tool: 'act',
    status: 'calling',
    rawArguments: '{"a":1}',
    arguments: { a: 1 },
    approval: null,
    output: null,
    fullOutput: null,
    media: null,
    isError: false,
    childTaskId: null,
    startedAt: AT,
    endedAt: null,
    completesTask: false,
    startedEpoch: 1,
    sandbox: null,
    ...more,
  };
}

/** A child that is given a part. */
export function childRow(ids: Ids, definition: AgentDefinition): NewChild {
  return {
    id: ids.newId('task'),
    callId: ids.newId('call'),
    title: 'Part',
    prompt: 'Do a part.',
    input: { n: 1 },
    definition,
  };
}

/** A stored state of a workspace. */
export function checkpointRow(ids: Ids, workspaceId: string, changes: Diffstat | null = null): NewCheckpoint {
  return {
    ...{
      id: ids.newId('ckpt'),
      workspaceId,
      parentId: null,
      reason: 'turn',
      note: null,
      turn: 1,
      commit: 'c1',
    },
    ...{ files: 1, diffstat: null, changes, leftOut: [], bytes: 1 },
  };
}

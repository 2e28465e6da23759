/** Calls of tools that the provider runs itself, and their results: both stand in the assistant's turn. */
import { invalidRequest } from '../api-error.js';
import type { ContentBlock, Message } from '../wire.js';
import { mergeTurns, type Turn } from './check-tool-pairs.js';

/** Throws `ApiError` (400) for a result whose call does not stand before it, and for a call that can get no result any more. */
export function checkServerTools(messages: readonly Message[]): void {
  const turns = mergeTurns(messages);
  turns.forEach((turn, at) => {
    if (turn.role === 'assistant') checkTurn(turn, at === turns.length - 1);
  });
}

function checkTurn({ index, blocks }: Turn, isLast: boolean): void {
  const open = new Map<string, string>();
  for (const { block, path } of blocks) {
    const [call, result] = [serverCall(block), serverResult(block)];
    if (call !== null) open.set(call.id, call.name);
    if (result === null) continue;
    if (!open.delete(result)) {
      throw invalidRequest(
        `${path}: unexpected \`tool_use_id\` found in \`${block.type}\` blocks: ${result}. Each \`${block.type}\` block must have a corresponding \`server_tool_use\` block before it.`,
      );
    }
  }
  // A paused turn goes on, and calls of the client are answered first.
  if (isLast || blocks.some(({ block }) => block.type === 'tool_use')) return;
  for (const [id, name] of open)
    throw invalidRequest(
      `messages.${index}: \`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block`,
    );
}

function serverCall(block: ContentBlock): { id: string; name: string } | null {
  if (block.type !== 'server_tool_use' && block.type !== 'mcp_tool_use') return null;
  return { id: String(block['id']), name: String(block['name']) };
}

function serverResult(block: ContentBlock): string | null {
  if (block.type === 'tool_result' || !block.type.endsWith('_tool_result')) return null;
  return 'tool_use_id' in block ? String(block.tool_use_id) : null;
}

/** Calls at the end of a conversation that the provider has still to answer. */
export function openServerCalls(messages: readonly Message[]): { id: string; name: string }[] {
  const last = mergeTurns(messages).at(-1);
  if (last?.role !== 'assistant') return [];
  const blocks = last.blocks.map(({ block }) => block);
  const answered = new Set(blocks.map(serverResult));
  return blocks.flatMap((block) => {
    const call = serverCall(block);
    return call === null || answered.has(call.id) ? [] : [call];
  });
}

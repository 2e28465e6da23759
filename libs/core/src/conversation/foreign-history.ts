/** Conversations that were written down elsewhere: what of them a model of this installation can be sent, and whether that holds together. */
import { isBlank, type ContentBlock } from '@bullpen/contracts';
import { HistoryProof, type RequestMessage } from '../task/history.js';

/**
 * The messages without what only the model that wrote them can read (thinking, with its signatures), without fields that are not known here, and without an
 * answer at the end whose calls never ran.
 */
export function foreignHistory<Message extends RequestMessage>(messages: readonly Message[]): Message[] {
  const last = messages.at(-1);
  const isCutOff = last?.role === 'assistant' && last.content.some(({ type }) => type === 'tool_use');
  return (isCutOff ? messages.slice(0, -1) : messages).flatMap((message) => {
    const content = message.content.flatMap(plainBlock);
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** The first message that could not be sent, and why; null when all of them could. */
export function foreignFault<Message extends RequestMessage>(
  messages: readonly Message[],
): { readonly message: Message; readonly reason: string } | null {
  const proof = new HistoryProof();
  for (const message of foreignHistory(messages)) {
    proof.add(message);
    const [reason] = proof.faults;
    if (reason !== undefined) return { message, reason };
  }
  return null;
}

function plainBlock(block: ContentBlock): ContentBlock[] {
  switch (block.type) {
    case 'text':
      return isBlank(block.text) ? [] : [{ type: 'text', text: block.text }];
    case 'provider':
    case 'thinking':
    case 'redacted_thinking':
      return [];
    case 'tool_use':
      return [{ type: 'tool_use', id: block.id, name: block.name, input: block.input }];
    case 'image':
    case 'document':
      return [{ type: block.type, media: block.media }];
    case 'tool_result': {
      const { tool_use_id, content, media, is_error } = block;
      return [
        {
          ...{ type: 'tool_result' as const, tool_use_id, content },
          ...(media !== undefined && { media }),
          ...(is_error === true && { is_error }),
        },
      ];
    }
  }
}

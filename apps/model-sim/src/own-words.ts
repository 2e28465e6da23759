/** Which texts of a request are what somebody said: harnesses put facts about the place and the work beside it. */
import type { Message } from './wire.js';

const FACTS = /^(?:<(?:environment|context|project-rules)[ >]|Mode: \w+ \(step \d+\)\n)/;

/** A message without the blocks that a harness marks as facts. */
export function withoutFacts(message: Message): Message {
  if (typeof message.content === 'string') return message;
  const said = message.content.filter((block) => block.type !== 'text' || !FACTS.test(block.text));
  return { ...message, content: said };
}

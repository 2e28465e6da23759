/** Which texts of a request are what somebody said: harnesses put facts about the place and the work beside it. */
import { blocksOf, type Message } from './wire.js';

const FACTS = /^(?:<(?:environment|context|project-rules)[ >]|Mode: \w+ \(step \d+\)\n)/;

/** A message without the blocks that a harness marks as facts. */
export function withoutFacts(message: Message): Message {
  if (typeof message.content === 'string') return message;
  const said = message.content.filter((block) => block.type !== 'text' || !FACTS.test(block.text));
  return { ...message, content: said };
}

/** How a harness begins the order to sum up a conversation that has become too long. */
const ORDER = /^This conversation has become too long to go on with\./;

/** Whether a request wants a record of the conversation, and no next step of it. */
export function wantsRecord(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  if (last?.role !== 'user') return false;
  return blocksOf(last.content).some((block) => block.type === 'text' && ORDER.test(block.text));
}

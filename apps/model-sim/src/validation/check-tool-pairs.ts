/** Every tool call has exactly one result, in the next message, before any text; and no result is without its call. */
import { invalidRequest } from '../api-error.js';
import { blocksOf, type ContentBlock, type Message } from '../wire.js';

interface PlacedBlock {
  block: ContentBlock;
  /** Place in the request, such as `messages.3.content.0`. */
  path: string;
}

/** Neighbouring messages of one role, which the API merges before it looks at them. */
export interface Turn {
  role: Message['role'];
  /** Index of the first message. */
  index: number;
  blocks: PlacedBlock[];
}

/** Throws `ApiError` (400) with the API's text for the first call or result that has no partner, or too many. */
export function checkToolPairs(messages: readonly Message[]): void {
  const turns = mergeTurns(messages);
  checkUniqueCallIds(turns);
  turns.forEach((turn, at) => {
    if (turn.role === 'user') checkResults(turn, turns[at - 1]);
    if (turn.role === 'assistant') checkCallsAnswered(turn, turns[at + 1]);
  });
}

/** The turns of a conversation. */
export function mergeTurns(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = [];
  messages.forEach(({ role, content }, index) => {
    const blocks = blocksOf(content).map((block, at) => ({ block, path: `messages.${index}.content.${at}` }));
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, index, blocks });
  });
  return turns;
}

function checkUniqueCallIds(turns: readonly Turn[]): void {
  const seen = new Set<string>();
  for (const { block, path } of turns.flatMap(({ blocks }) => blocks)) {
    if (block.type !== 'tool_use') continue;
    if (seen.has(block.id)) throw invalidRequest(`${path}: \`tool_use\` ids must be unique`);
    seen.add(block.id);
  }
}

function checkResults(turn: Turn, before: Turn | undefined): void {
  const calls = new Set(before?.role === 'assistant' ? callIds(before) : []);
  const seen = new Set<string>();
  for (const { block, path } of turn.blocks) {
    if (block.type !== 'tool_result') continue;
    const id = block.tool_use_id;
    if (!calls.has(id)) {
      throw invalidRequest(
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (seen.has(id)) {
      throw invalidRequest(
        `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    seen.add(id);
  }
}

/** Only results at the head of the message count: one that comes after text is, for the API, not there. */
function checkCallsAnswered(turn: Turn, next: Turn | undefined): void {
  const firstOther = next?.blocks.findIndex(({ block }) => block.type !== 'tool_result') ?? 0;
  const results =
    next?.role === 'user' ? (firstOther < 0 ? next.blocks : next.blocks.slice(0, firstOther)) : [];
  const answered = new Set(
    results.map(({ block }) => (block.type === 'tool_result' ? block.tool_use_id : '')),
  );
  const open = callIds(turn).filter((id) => !answered.has(id));
  if (open.length === 0) return;
  throw invalidRequest(
    `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function callIds(turn: Turn): string[] {
  return turn.blocks.flatMap(({ block }) => (block.type === 'tool_use' ? [block.id] : []));
}

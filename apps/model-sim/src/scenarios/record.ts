/** What any agent answers when its harness has it sum up the conversation, unless its scenario has words of its own for that. */
import type { AgentTurn } from '../agent-turn.js';
import type { Reply } from '../scenario.js';
import { blocksOf } from '../wire.js';
import { plural } from './plural.js';

/** Lines that begin like this are carried from record to record, word for word. */
const KEPT = /^[-* ]*((?:Fact|Decision|Remember|Error|Open):\s.*)$/gm;
const MOST_LINES = 60;
const MOST_FILES = 40;

/** A record that carries over each fact that was said or read, and what was done last. Its length does not grow with the conversation's. */
export function recordOf(turn: AgentTurn): Reply {
  const texts = turn.messages.flatMap(({ content }) => blocksOf(content)).flatMap(textsIn);
  const kept = texts.flatMap((text) => [...text.matchAll(KEPT)].map(([, line = '']) => line.trim()));
  const calls = turn.allToolResults;
  const files = calls.flatMap(({ input }) => (typeof input['path'] === 'string' ? [input['path']] : []));
  const last = calls.at(-1);
  const parts = [
    'What was found out and decided (simulated record):',
    ...newest(kept, MOST_LINES).map((line) => `- ${line}`),
    `${plural(calls.length, 'call')} since the last record.`,
    `Files: ${newest(files, MOST_FILES).join(', ') || 'none'}.`,
    ...(last === undefined ? [] : [`In progress: ${last.name} ${JSON.stringify(last.input).slice(0, 300)}.`]),
  ];
  return { text: parts.join('\n') };
}

function newest(values: readonly string[], most: number): string[] {
  return [...new Set(values)].slice(-most);
}

/** Texts of blocks of any kind that a model reads. */
function textsIn(block: ReturnType<typeof blocksOf>[number]): string[] {
  if (block.type === 'text') return [block.text];
  return block.type === 'tool_result' ? blocksOf(block.content ?? []).flatMap(textsIn) : [];
}

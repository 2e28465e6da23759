/** What the simulator plays in this suite: agents that do what the first words of their prompt say; for other prompts its usual one. */
import { genericAgent } from '../../../model-sim/dist/scenarios/generic-agent.js';
import { bugFix } from './bug-fix.mjs';

const PARTS = [
  { begins: /^Print (\d+) lines, (\d+) at a time/, play: printLines },
  { begins: /^Break once/, play: breakOnce },
  { begins: /^Write two files/, play: writeTwice },
  { begins: /^Delegate to (\d+)/, play: delegate },
  ...bugFix,
];

export default {
  name: 'browser-suite',
  agents: {},
  default: (turn) => {
    for (const { begins, play } of PARTS) {
      const words = begins.exec(turn.prompt);
      if (words !== null) return play(turn, words);
    }
    return genericAgent(turn);
  },
};

/** The line with this number; no other text has it. */
export const lineOf = (number) => `line ${String(number).padStart(5, '0')} of the agent`;

/** Some lines in each turn, with a call in between, another one each time: who repeats one goes round in circles. */
function printLines(turn, [, all, atOnce]) {
  const first = turn.turnIndex * Number(atOnce) + 1;
  const last = Math.min(first + Number(atOnce) - 1, Number(all));
  const text = Array.from({ length: last - first + 1 }, (_, at) => lineOf(first + at)).join('\n\n');
  return {
    text,
    ...(last < Number(all) && { toolCalls: [{ name: 'search_files', input: { pattern: `after ${last}` } }] }),
  };
}

/** Is refused in a way that is not tried again by itself, and gets an answer in the next attempt. */
function breakOnce({ messages }) {
  if (JSON.stringify(messages).includes('gets another attempt')) return { text: 'This time it worked.' };
  return { fault: { kind: 'permission_error', times: 'always' } };
}

function writeTwice({ turnIndex }) {
  const path = ['first.txt', 'second.txt'][turnIndex];
  if (path === undefined) return { text: 'Both are written.' };
  return {
    text: `I write ${path}.`,
    toolCalls: [{ name: 'write_file', input: { path, content: `This is ${path}.\n` } }],
  };
}

function delegate({ turnIndex, allToolResults }, [, children]) {
  if (turnIndex === 0)
    return {
      text: 'I give this to others.',
      toolCalls: Array.from({ length: Number(children) }, (_, at) => ({
        name: 'spawn_subtask',
        input: {
          agent: 'general',
          prompt: `Print 100000 lines, 400 at a time: part ${at + 1}`,
          title: `Part ${at + 1}`,
        },
      })),
    };
  const taskIds = allToolResults.flatMap(({ text }) => /task_\w+/.exec(text)?.[0] ?? []);
  if (turnIndex === 1) return { toolCalls: [{ name: 'wait_for_subtasks', input: { taskIds } }] };
  return { text: 'All of them are done.' };
}

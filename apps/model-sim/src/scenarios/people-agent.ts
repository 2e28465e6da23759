/**
 * The agent that answers where a person can be asked: what the user writes says what it does. A command, a change of a file, a
 * question, a plan: one after the other, so that a newcomer without a key sees each of them ask.
 */
import type { AgentTurn, ToolResultView } from '../agent-turn.js';
import { withoutFacts } from '../own-words.js';
import type { Reply, ToolCall } from '../scenario.js';
import { blocksOf, type Message } from '../wire.js';
import { parseListing } from './tool-output.js';
import { plural } from './plural.js';

const LABEL = '(simulated: this comes from the Bullpen model simulator, not from Claude)';
/** Stands in the system prompt of every agent that may ask. */
const MAY_ASK = 'A person can be asked';

const NOTES = 'NOTES.md';
const LOOK_AROUND = 'ls -la | head -n 20';

/** Whether somebody can be asked in this task. */
export function hasPeople(turn: AgentTurn): boolean {
  return turn.systemPrompt.includes(MAY_ASK) && turn.tools.length > 0;
}

/** Plays any task with people in it. */
export function peopleAgent(turn: AgentTurn): Reply {
  const said = spokenTo(turn);
  const plan = turn.tool('present_plan');
  if (plan !== undefined || acceptedPlan(said.results) !== undefined) return planned(turn, said);
  const steps = stepsFor(said.text, turn);
  const next = steps.find(
    ({ name }) => turn.tool(name) !== undefined && !said.results.some((result) => result.name === name),
  );
  if (next !== undefined) return { text: introduction(next, said), toolCalls: [next] };
  return { text: report(said) };
}

/**
 * What an agent that works alone does for the words of the user, once for each: less than beside a person, as nobody is asked before.
 * Undefined when there is nothing (more) to do.
 */
export function stepAlone(turn: AgentTurn): ToolCall | undefined {
  const { text, results } = spokenTo(turn);
  const steps = [
    ...(/\bwrite\b/i.test(text) ? [noteOf(text)] : []),
    ...(/`[^`]+`|\brun\b/i.test(text) ? [commandIn(text)] : []),
  ];
  return steps.find(
    ({ name }) => turn.tool(name) !== undefined && !results.some((result) => result.name === name),
  );
}

/** The words with which a call begins. */
export function wordsFor({ name }: ToolCall): string {
  return WORDS[name] ?? '';
}

/** What became of the calls, one line each. */
export function outcomesOf(results: readonly ToolResultView[]): string[] {
  return results.map((result) => {
    if (result.name === 'list_files') return `- I saw ${entriesIn(result.text)}.`;
    const outcome = result.text.trim().split('\n').slice(0, 3).join(' ').slice(0, 300);
    return `- \`${result.name}\`${result.isError ? ' failed' : ''}: ${outcome}`;
  });
}

const WORDS: Readonly<Record<string, string>> = {
  list_files: `Let me look at the files first. ${LABEL}`,
  ask_user: 'Before I go on, I need to know something.',
  write_file: 'I will write that down in a file.',
  run_command: 'I will run a command to see for myself.',
};

interface Spoken {
  /** The last thing that the user said. */
  text: string;
  /** What tools gave since then. */
  results: readonly ToolResultView[];
}

function spokenTo(turn: AgentTurn): Spoken {
  const at = turn.messages.findLastIndex(isSpoken);
  const message = turn.messages[at];
  const earlier = turn.messages.slice(0, at + 1).flatMap(({ content }) => blocksOf(content));
  const known = new Set(
    earlier.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : [])),
  );
  return {
    text: message === undefined ? turn.prompt : textIn(message),
    results: turn.allToolResults.filter(({ id }) => !known.has(id)),
  };
}

/** How the product marks what the user says while the agent works, or after its end; it comes beside the results of tools. */
const STEERING = /^(Message from the user while you work|.*\bgo(es)? on,? with this message):\n/;

/** Other text that comes beside the results of tools is a note of the harness. */
function isSpoken({ role, content }: Message): boolean {
  const blocks = blocksOf(content);
  return (
    role === 'user' &&
    (blocks.every(({ type }) => type === 'text') ||
      blocks.some((block) => block.type === 'text' && STEERING.test(block.text)))
  );
}

function textIn(message: Message): string {
  const texts = blocksOf(withoutFacts(message).content).flatMap((block) =>
    block.type === 'text' ? [block.text] : [],
  );
  const steering = texts.filter((text) => STEERING.test(text));
  return (steering.length > 0 ? steering : texts).map((text) => text.replace(STEERING, '')).join('\n');
}

/** What is done for these words, in order. */
function stepsFor(text: string, turn: AgentTurn): ToolCall[] {
  const listed = { name: 'list_files', input: { path: '.' } };
  const looked = turn.allToolResults.some(({ name }) => name === listed.name);
  return [
    ...(looked ? [] : [listed]),
    ...(/\b(ask|asks|question|which|choose|unsure)\b/i.test(text) ? [questionAbout(text)] : []),
    ...(/\b(write|edit|change|add|create|fix|note|notes|file)\b/i.test(text) ? [noteOf(text)] : []),
    ...(/`[^`]+`|\b(run|runs|command|execute|test|tests|build|shell)\b/i.test(text) ? [commandIn(text)] : []),
  ];
}

function questionAbout(text: string): ToolCall {
  const several = /\b(several|multiple|all|many)\b/i.test(text);
  return {
    name: 'ask_user',
    input: {
      header: 'Where to start',
      question: `Simulated question: where should I start with ${quote(text)}?`,
      options: [
        { label: 'The code', description: 'read the sources first' },
        { label: 'The tests', description: 'see what they promise' },
        { label: 'The docs', description: 'start with the README' },
      ],
      ...(several ? { multiple: true } : {}),
    },
  };
}

/** A new file, so that nothing of the user's is lost; a second one does not replace the first. */
function noteOf(text: string): ToolCall {
  const path = /\b([\w-]+\.(?:md|txt))\b/i.exec(text)?.[1] ?? NOTES;
  return {
    name: 'write_file',
    input: { path, content: `# Notes\n\nYou asked: ${quote(text)}\n\nWritten by the model simulator.\n` },
  };
}

/** The command between backticks, or a harmless one. */
function commandIn(text: string): ToolCall {
  const command = /`([^`\n]+)`/.exec(text)?.[1] ?? LOOK_AROUND;
  return { name: 'run_command', input: { command } };
}

/** Looks, presents a plan, presents it again when it comes back, and carries it out once it is accepted. */
function planned(turn: AgentTurn, said: Spoken): Reply {
  const accepted = acceptedPlan(said.results);
  if (accepted === undefined) {
    const looked = turn.allToolResults.some(({ name }) => name === 'list_files');
    if (!looked && turn.tool('list_files') !== undefined && turn.toolChoice.type === 'auto')
      return {
        text: `Let me look before I plan. ${LABEL}`,
        toolCalls: [{ name: 'list_files', input: { path: '.' } }],
      };
    const back = said.results.filter(({ name }) => name === 'present_plan').at(-1);
    return { text: `Here is my plan. ${LABEL}`, toolCalls: [planFor(said.text, remarksIn(back))] };
  }
  const since = said.results.slice(said.results.indexOf(accepted) + 1);
  const next = [noteOf(said.text), commandIn(said.text)].find(
    ({ name }) => turn.tool(name) !== undefined && !since.some((result) => result.name === name),
  );
  if (next !== undefined) return { text: introduction(next, said), toolCalls: [next] };
  return { text: report({ ...said, results: since }) };
}

function acceptedPlan(results: readonly ToolResultView[]): ToolResultView | undefined {
  return results.findLast(
    ({ name, text }) => name === 'present_plan' && text.startsWith('The user accepted'),
  );
}

function remarksIn(result: ToolResultView | undefined): string | undefined {
  return result === undefined ? undefined : /Remarks: ([\s\S]+)$/.exec(result.text)?.[1];
}

function planFor(text: string, remarks: string | undefined): ToolCall {
  const steps = [
    ...(remarks === undefined ? [] : [`Follow your remark: ${quote(remarks)}`]),
    `Write down your request in ${String(noteOf(text).input['path'])}`,
    `Check with \`${String(commandIn(text).input['command'])}\``,
  ];
  const plan = [
    `# Plan: ${text.trim().split('\n', 1)[0]?.slice(0, 100) ?? ''}`,
    '',
    `A plan from the model simulator: it changes one file and runs one command.`,
    ...(remarks === undefined ? [] : ['', `You remarked: ${remarks}`]),
    '',
    ...steps.map((step) => `- ${step}`),
  ];
  return { name: 'present_plan', input: { plan: plan.join('\n'), steps } };
}

function introduction(call: ToolCall, { results }: Spoken): string {
  const answer = results.findLast((result) => result.name === 'ask_user');
  return [...(answer === undefined ? [] : [`${answer.text}.`]), wordsFor(call)].join(' ');
}

function entriesIn(listing: string): string {
  const total = parseListing(listing)?.total;
  return total === undefined ? 'some entries' : plural(total, 'entry', 'entries');
}

function report({ text, results }: Spoken): string {
  const told = outcomesOf(results);
  const hint = 'Tell me to run a command, write a file or ask you a question, and see how I ask you first.';
  return [`You said: ${quote(text)} ${LABEL}`, ...(told.length === 0 ? [hint] : told)].join('\n\n');
}

function quote(text: string): string {
  const line = text.trim().replace(/\s+/g, ' ');
  return `“${line.length > 200 ? `${Array.from(line).slice(0, 200).join('')}…` : line}”`;
}

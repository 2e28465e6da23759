/** What is said about a conversation that has become too long: the order to sum it up, the record that takes its place, and when a summary is none. */
import type { WorkInHand } from '../ports/store.js';
import type { InteractionRecord, StoredMessage, TaskRecord } from '../task/task.js';
import { isWhole } from '../task/answer-end.js';
import { preview } from '../task/text.js';

/** The order is part of one request only. It is in no history, as nobody but the harness said it. */
export const CONDENSE_ORDER = `This conversation has become too long to go on with. Write a record of it that takes the place of everything behind the first message, apart from the newest turns, which stay. It is the only thing that you will know of this part. Write nothing but the record, in the language of the conversation, and call no tool now.

Keep, as exactly as it was said:
1. What the user asked for, request by request, in their words where these matter, and for each whether it is finished or open.
2. Decisions and their reasons; facts that were found out; names, numbers, ids, URLs and commands.
3. Files that were read or changed: each with its path, what is in it that matters, and what was changed.
4. Errors that came up, what they were caused by, and what was tried in vain.
5. What was in progress, and the next step.

Leave out what was only on the way there. An earlier record in this conversation is part of what you sum up: carry over what still counts.`;

/** Without these words a record reads like a request, and would be carried out again. */
const RECORD_START =
  'This is a record of the conversation so far, written by the harness because it had become too long. It is not a request: do nothing only because it is mentioned here.';

/** The message that takes the place of what was summed up. Ids come from the rows: they are not left to the model. */
export function recordText(summary: string, facts: RecordFacts): string {
  return [RECORD_START, summary.trim(), ...factLines(facts)].join('\n\n');
}

/** The message that takes the place of turns that were left out. */
export function cutText(facts: RecordFacts): string {
  const start =
    'Older turns of this conversation were left out here, because it had become too long. What they did is done; look at the files and at the outputs of your calls for what you need of it.';
  return [start, ...factLines(facts)].join('\n\n');
}

/** The user's words to an agent whose conversation was refused as too long. */
export function tooLongText(guidance: string): string {
  return `This conversation had become too long, and the user was asked how to go on. The user says:\n${guidance}`;
}

export interface RecordFacts {
  readonly task: Pick<TaskRecord, 'todos'>;
  readonly work: WorkInHand;
  readonly said: readonly StoredMessage[];
  readonly unanswered: readonly InteractionRecord[];
}

/** So much of an open request is repeated, and of a finished one. */
const OPEN_CHARS = 4_000;
const FINISHED_CHARS = 200;
/** So many of each kind are named. */
const MOST_NAMED = 50;

function factLines({ task, work, said, unanswered }: RecordFacts): readonly string[] {
  const lists = [
    listed("The user's requests, oldest first:", requestLines(work, said)),
    listed(
      'Subtasks:',
      work.children.map(({ id, title, state }) => `${id} (${preview(title, 100)}): ${state}`),
    ),
    listed(
      'Processes that run in the background:',
      work.processes.map(({ id, command }) => `${id}: ${preview(command.replaceAll('\n', ' '), 200)}`),
    ),
    listed(
      'Waiting for an answer:',
      unanswered.map(({ id, kind }) => `${id} (${kind})`),
    ),
    listed(
      'Todos:',
      task.todos.map(({ text, status }) => `${preview(text, 200)}: ${status.replaceAll('_', ' ')}`),
    ),
  ];
  return lists.filter((text) => text !== '');
}

function listed(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title, ...lines.slice(-MOST_NAMED).map((line) => `- ${line}`)].join('\n');
}

/** A request is finished when an answer without calls came after it and the user then asked for something else. */
function requestLines({ requests }: WorkInHand, said: readonly StoredMessage[]): readonly string[] {
  const placed = requests.map(({ messageId, text }) => ({
    text,
    at: said.findIndex(({ id }) => id === messageId),
  }));
  return placed.map(({ text, at }, index) => {
    const next = placed.slice(index + 1).find((later) => later.at > at)?.at;
    const isFinished = next !== undefined && said.slice(at + 1, next).some(isEnd);
    const words = preview(text.replaceAll('\n', ' '), isFinished ? FINISHED_CHARS : OPEN_CHARS);
    if (at === 0) return isFinished ? 'The first message: finished' : 'The first message: open';
    return `${isFinished ? 'Finished' : 'Open'}: ${words}`;
  });
}

function isEnd(message: StoredMessage): boolean {
  return (
    message.role === 'assistant' &&
    isWhole(message) &&
    !message.content.some(({ type }) => type === 'tool_use')
  );
}

/** A summary this short has to name at least something of what it stands for. */
const SHORT = 200;
/** Of what it replaces, at most. */
const LARGEST = 0.8;

export interface SummaryCheck {
  readonly text: string;
  /** Estimated tokens of the whole record, and of what it would replace. */
  readonly tokens: number;
  readonly replaced: number;
  readonly replacing: readonly StoredMessage[];
  readonly toolNames: readonly string[];
}

/** Why a text is no summary of these messages; null when it is one. */
export function summaryProblem({
  text,
  tokens,
  replaced,
  replacing,
  toolNames,
}: SummaryCheck): string | null {
  if (!/[\p{L}\p{N}]/u.test(text)) return 'it says nothing';
  const tag = TAG_OF_CALL.exec(text)?.[0] ?? toolNames.find((name) => text.includes(`<${name}>`));
  if (tag !== undefined) return `it holds a call (${tag})`;
  if (text.trim().length < SHORT && !namesAny(text, replacing))
    return 'it names nothing of what it stands for';
  return tokens <= replaced * LARGEST ? null : 'it is hardly shorter than what it stands for';
}

const TAG_OF_CALL = /<(?:function_calls|invoke|tool_use|tool_call)\b[^>]*>/;

/** Words of the replaced calls, results and texts that are no common words: paths, ids, numbers. */
const NAMES = /[\p{L}\p{N}_-]+(?:[./:@][\p{L}\p{N}_-]+)+|[\p{L}_-]*\p{N}[\p{L}\p{N}_-]{2,}/gu;

function namesAny(text: string, replacing: readonly StoredMessage[]): boolean {
  const there = JSON.stringify(replacing.map(({ content }) => content));
  return [...text.matchAll(NAMES)].some(([name]) => there.includes(name));
}

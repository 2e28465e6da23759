/** What an agent is told about the work mode that it is in. The newest such text in its conversation is the one that holds. */
import type { ModeDefinition } from '@bullpen/contracts';
import type { waysOut } from '../decide/modes/fire.js';
import { MODE_NEWS } from '../task/answer-end.js';
import type { RequestMessage } from '../task/history.js';
import type { Transition } from '../task/mode-context.js';

export interface ModeNote {
  readonly mode: ModeDefinition;
  /** How it came there; null: every task begins there. */
  readonly entry: Transition | null;
  readonly ways: ReturnType<typeof waysOut>;
  readonly tools: readonly string[];
}

/** First line of a note: another one for each time that a mode is entered. */
export function noteHead(mode: string, entry: Pick<Transition, 'seq'> | null): string {
  return `${MODE_NEWS}${mode} (step ${entry?.seq ?? 0})`;
}

/** The head of the newest note among these messages; null when there is none, or it is left out of them. */
export function newestHead(messages: readonly RequestMessage[]): string | null {
  for (const { role, content } of messages.toReversed()) {
    if (role !== 'user') continue;
    const note = content.findLast((block) => block.type === 'text' && block.text.startsWith(MODE_NEWS));
    if (note?.type === 'text') return note.text.split('\n', 1)[0] ?? null;
  }
  return null;
}

export function modeNote({ mode, entry, ways, tools }: ModeNote): string {
  const { possible, impossible } = ways;
  return [
    noteHead(mode.name, entry),
    ...(entry === null ? [] : [entryLine(entry)]),
    '',
    mode.prompt.trim(),
    '',
    `Tools of this mode: ${tools.join(', ')}. Calls of other tools are refused until the mode changes.`,
    'Triggers that lead on from here (signal):',
    ...possible.map(({ trigger, to, means }) => `- ${trigger} -> ${to}: ${means}`),
    ...impossible
      .filter(({ trigger }) => possible.every((way) => way.trigger !== trigger))
      .map(({ trigger, to, why }) => `- not yet: ${trigger} -> ${to}. ${why}`),
  ].join('\n');
}

const BY: Readonly<Record<Transition['source'], string>> = {
  agent: 'you fired',
  person: 'the user fired',
  intent: 'the words of the user stand for',
  harness: 'what happened stands for',
};

function entryLine({ from, trigger, source, reason }: Transition): string {
  const why = reason === null ? '' : ` Reason: ${reason}`;
  return `The work has come here from ${from}: ${BY[source]} ${trigger}.${why}`;
}

/** What waits for the agent when a person has moved its task: with it, an end that does not know of this is no end. */
export function movedNotice({ from, to, reason }: Transition): string {
  const why = reason === null ? '' : ` The user says: ${reason}`;
  return `The user has moved your work from ${from} to ${to ?? from}.${why}`;
}

/** The result of a trigger. */
export function signalResult({ from, to, trigger, refusal, possible }: Transition): string {
  if (to !== null) return `${trigger}: the mode is now ${to}.`;
  const others = possible.length === 0 ? 'none' : possible.join(', ');
  return `${refusal ?? ''} The mode is still ${from}. Triggers that work now: ${others}.`;
}

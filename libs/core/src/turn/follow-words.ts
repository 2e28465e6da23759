/** What the words of the user mean for a task that works in modes: where it begins, and whether anything is to be changed. */
import { suggestMode, type Suggestion } from '../decide/intent/suggest-mode.js';
import { modeAfter, type Standing } from '../decide/modes/fire.js';
import { IDLE } from '../decide/modes/machine.js';
import type { InboxMessage } from '../ports/store.js';
import type { ModeContext } from '../task/mode-context.js';
import { askIntent } from './ask-intent.js';
import { fireTrigger, keepContext, standingOf } from './modes.js';
import type { Run } from './run.js';
import type { RunState } from './run-state.js';

/** What the user wrote may ask for a mode; only a task that is in none takes it from there. It also says whether anything is to be changed. */
export async function followWords(
  run: Run,
  inbox: readonly InboxMessage[],
  signal: AbortSignal,
): Promise<void> {
  const { state } = run;
  const standing = standingOf(state);
  if (standing === null) return;
  const text = wordsOf(state, inbox);
  if (text === null) return;
  const { modes } = standing.machine;
  const mode = modeAfter(standing.rows);
  const ways = modes.find(({ name }) => name === IDLE)?.rules ?? [];
  const byRules = suggestMode(text, { current: mode });
  const entered = modes.filter(({ name }) => ways.some(({ to }) => to === name));
  const asked = mode === IDLE && !byRules.isSure ? await askIntent(run, text, entered, signal) : null;
  const suggestion = asked?.suggestion ?? byRules;
  const { mode: meant, isSure, reason } = suggestion;
  if (!isSure || meant === IDLE || !modes.some(({ name }) => name === meant)) return;
  const trigger = ways.find(({ to }) => to === meant)?.on;
  if (mode === IDLE && trigger !== undefined)
    await fireTrigger(run, { trigger, source: 'intent', by: null, reason }, () => asked?.paid ?? {});
  keepContext(state, { ...state.modeContext, goal: goalOf(suggestion, standing, state) });
}

/** What the words want. That nothing is to be changed is only believed of words that can mean nothing else. */
function goalOf(
  { mode, confidence, others }: Suggestion,
  { machine }: Standing,
  { task, modeContext }: RunState,
): ModeContext['goal'] {
  const changes = (name: string) =>
    machine.modes.some((one) => one.name === name && one.groups.includes('write'));
  if ([mode, ...others.map((other) => other.mode)].some(changes)) return 'change';
  const isPlain = confidence === 1 && others.length === 0;
  return isPlain && task.mode === mode ? 'answer' : modeContext.goal;
}

/** The user's words that the agent is about to read for the first time; null when there are none. */
function wordsOf({ task, transitions, messages }: RunState, inbox: readonly InboxMessage[]): string | null {
  const said = inbox.filter(({ source }) => source !== 'notice').map(({ text }) => text);
  if (said.length > 0) return said.join('\n\n');
  const isStart = transitions.length === 0 && messages.every(({ role }) => role === 'user');
  return isStart && task.prompt !== '' ? task.prompt : null;
}

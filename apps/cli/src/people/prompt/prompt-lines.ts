/** A prompt as it is on the screen. Pure. */
import type { Colors } from '../../io.js';
import { plural } from '../../render/format.js';
import { oneLine } from '../../render/plain-text.js';
import { padEnd, truncate, widthOf, wrap } from '../../render/width.js';
import { textOf, type Draft } from './draft.js';
import { choicesOf, type Choice, type PromptState } from './prompt.js';

export interface PromptLook {
  readonly colors: Colors;
  readonly width: number;
  readonly height: number;
}

/** The screen of a prompt, top to bottom, no line wider than the terminal. */
export function promptLines(state: PromptState, look: PromptLook): string[] {
  const { colors, width } = look;
  const notice = state.notice === null ? [] : wrap(state.notice, width).map((line) => colors.yellow(line));
  return [
    `${colors.cyan('?')} ${colors.bold(oneLine(state.prompt.message))}`,
    ...draftLines(state, look),
    ...choiceLines(state, look),
    ...notice,
    ...wrap(helpOf(state), width).map((line) => colors.dim(line)),
  ];
}

/** What stays on the screen of a prompt that was answered; nothing when it was left. */
export function recordLines({ prompt, outcome }: PromptState, { colors, width }: PromptLook): string[] {
  if (outcome === null || outcome.kind === 'left' || outcome.kind === 'interrupted') return [];
  const label = prompt.choices.find(
    ({ value }) => outcome.kind === 'choice' && value === outcome.value,
  )?.label;
  const words =
    outcome.kind === 'words'
      ? `${prompt.words?.send ?? ''}: ${oneLine(outcome.text)}`
      : `${oneLine(prompt.message)} ${oneLine(label ?? '')}`;
  return wrap(words, width).map((line) => colors.dim(line));
}

/** Lines of a prompt that are not the draft: message, choices, notice and help. */
const OTHER_LINES = 12;

function draftLines(state: PromptState, { colors, width, height }: PromptLook): string[] {
  if (state.view === 'choosing') return [];
  const lines = wrap(shown(state.draft, state.view === 'writing'), width - GUTTER.length);
  const most = Math.max(3, height - OTHER_LINES);
  const more = lines.length - most;
  const cut = more <= 0 ? [] : [colors.dim(`${GUTTER}… ${plural(more, 'more line')} above`)];
  return [...cut, ...lines.slice(-most).map((line) => colors.cyan(GUTTER) + line)];
}

const GUTTER = '  │ ';

function shown(draft: Draft, withCursor: boolean): string {
  const text = withCursor ? `${draft.before}▏${draft.after}` : textOf(draft).trim();
  return text.replaceAll('\t', '  ');
}

function choiceLines(state: PromptState, { colors, width }: PromptLook): string[] {
  const choices = choicesOf(state);
  const labels = choices.map((choice) =>
    truncate(markOf(choice, state.marked) + oneLine(choice.label), width - 4),
  );
  const column = Math.max(0, ...labels.map(widthOf));
  return choices.map(({ hint = '' }, index) => {
    const label = labels[index] ?? '';
    const about = hint === '' ? '' : `  ${colors.dim(truncate(oneLine(hint), width - column - 6))}`;
    const text = about === '' ? label : padEnd(label, column) + about;
    return index === state.at ? `  ${colors.cyan('❯')} ${text}` : `    ${text}`;
  });
}

function markOf({ value, markable = false }: Choice, marked: readonly string[]): string {
  if (!markable) return '';
  return marked.includes(value) ? '☑ ' : '☐ ';
}

function helpOf({ prompt, view }: PromptState): string {
  const { words, choices } = prompt;
  if (view === 'reviewing')
    return 'Not sent yet: choose with the arrow keys and Enter; Escape to keep writing.';
  if (view === 'writing') {
    const leave = choices.length > 0 ? 'Escape to drop it' : 'Escape to go back';
    return words === null
      ? 'What you type here is not sent. Press Escape to drop it, then choose with the arrow keys and Enter.'
      : `Not sent yet: Enter to choose what to do with it; ${leave}.`;
  }
  const keys = choices.some(({ markable }) => markable)
    ? 'Move with the arrow keys, mark or choose with Enter'
    : 'Choose with the arrow keys and Enter';
  return words === null ? `${keys}.` : `${keys}; what you type is shown before it is sent.`;
}

/**
 * What a program printed, as lines of coloured text: later writes to a line replace it, controls that only a terminal understands are
 * left out, and colours go on from line to line, but never into another output.
 */
import Anser from 'anser';

export interface Span {
  readonly text: string;
  /** Names of `output.css`. */
  readonly className: string;
  /** A colour that has no name, as `rgb(…)`. */
  readonly color: string | null;
  readonly background: string | null;
}

const ESC = '\u001b';
const COLOURS = new RegExp(`${ESC}\\[[\\d;]*m`, 'g');
/** Titles and links of the terminal; moves of the cursor; the rest of two and three characters; what is cut off at the end. */
const CONTROLS = [
  new RegExp(`${ESC}\\][^\\u0007${ESC}]*(?:\\u0007|${ESC}\\\\|$)`, 'g'),
  new RegExp(`${ESC}\\[[0-?]*[ -/]*[@-ln-~]`, 'g'),
  new RegExp(`${ESC}\\[[<-?][0-?]*[ -/]*m`, 'g'),
  new RegExp(`${ESC}[ -/]*[0-Z\\\\^-~]`, 'g'),
  new RegExp(`${ESC}\\[?[0-?]*[ -/]*$`),
];
// Everything of C0 and C1 that is no tab, line feed, carriage return, backspace or escape.
const UNSEEN = new RegExp(`[^\\P{Cc}\\t\\n\\r\\b${ESC}]`, 'gu');

/** The lines of an output as they stand at its end, colour codes still in them. */
export function linesOf(output: string): string[] {
  const plain = CONTROLS.reduce((text, control) => text.replace(control, ''), output).replace(UNSEEN, '');
  const lines = plain.replaceAll(/\r+\n/g, '\n').split('\n');
  // A line feed ends a line: after the last one there is none.
  if (lines.at(-1) === '') lines.pop();
  return lines.map(lastState);
}

/** Of a line that was written over and over, what was written last; with the colours that were switched on before. */
function lastState(line: string): string {
  const states = line.includes('\r') ? line.split('\r') : [line];
  const last = states.findLastIndex((state) => state.replace(COLOURS, '') !== '');
  const before = states.slice(0, Math.max(0, last)).flatMap(codesOf).join('');
  const after =
    last < 0
      ? states.flatMap(codesOf).join('')
      : states
          .slice(last + 1)
          .flatMap(codesOf)
          .join('');
  return before + withoutErased(states[last] ?? '') + after;
}

function withoutErased(line: string): string {
  if (!line.includes('\b')) return line;
  const kept: string[] = [];
  for (const letter of line)
    if (letter === '\b') kept.pop();
    else kept.push(letter);
  return kept.join('');
}

function codesOf(text: string): string[] {
  return text.match(COLOURS) ?? [];
}

/** The spans of some lines, one list for each. `skipped` are lines before them that are not shown: their colours go on. */
export function spansOf(lines: readonly string[], skipped: readonly string[] = []): Span[][] {
  const anser = new Anser();
  const read = (text: string) => anser.ansiToJson(text, { json: true });
  // A long output is mostly not shown: only its codes count for what is.
  read(skipped.flatMap(codesOf).join(''));
  return lines.map((line) =>
    read(UNCHANGED + line)
      .filter(({ content }) => content !== '')
      .map(spanOf),
  );
}

/** A code that changes nothing: text before the first code of a call would be plain, whatever was switched on. */
const UNCHANGED = `${ESC}[10m`;

function spanOf({ content, fg, bg, decorations }: Anser.AnserJsonEntry): Span {
  const [ink, ground] = [COLOUR_NAMES.get(compact(fg)), COLOUR_NAMES.get(compact(bg))];
  const classes = [
    ...(ink === undefined ? [] : [`ansi-${ink}`]),
    ...(ground === undefined ? [] : [`ansi-on-${ground}`]),
    ...decorations.map((name) => `ansi-${name}`),
  ];
  return {
    text: content,
    className: classes.join(' '),
    color: fg && ink === undefined ? `rgb(${fg})` : null,
    background: bg && ground === undefined ? `rgb(${bg})` : null,
  };
}

function compact(colour: string | null): string {
  return (colour ?? '').replaceAll(' ', '');
}

/** How the parser writes the 16 colours that have names, and the token that shows each. */
const COLOUR_NAMES: ReadonlyMap<string, string> = new Map([
  ['0,0,0', 'black'],
  ['187,0,0', 'red'],
  ['0,187,0', 'green'],
  ['187,187,0', 'yellow'],
  ['0,0,187', 'blue'],
  ['187,0,187', 'magenta'],
  ['0,187,187', 'cyan'],
  ['255,255,255', 'white'],
  ['85,85,85', 'white'],
  ['255,85,85', 'red'],
  ['0,255,0', 'green'],
  ['255,255,85', 'yellow'],
  ['85,85,255', 'blue'],
  ['255,85,255', 'magenta'],
  ['85,255,255', 'cyan'],
]);

/** The beginning of a line, and how many characters of it are left. */
export function cut(spans: readonly Span[], most: number): { shown: readonly Span[]; left: number } {
  const length = spans.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= most) return { shown: spans, left: 0 };
  const shown: Span[] = [];
  let room = most;
  for (const span of spans) {
    if (room <= 0) break;
    shown.push({ ...span, text: span.text.slice(0, room) });
    room -= span.text.length;
  }
  return { shown, left: length - most };
}

/**
 * What a terminal would leave on the screen of a text, line by line: a progress bar becomes its last state, colours go. For readers
 * who cannot watch it move. A line that is begun anew counts as written anew, also where it is shorter than before.
 */

/** Escape sequences (CSI, OSC and other strings, two-character ones), line ends, backspaces, other control characters. */
const MARKS =
  // eslint-disable-next-line no-control-regex -- they are what this is about
  /\x1b\[([0-9;:<=>?]*)[ -/]*([@-~])|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]|\r+\n|[\r\n\b]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g;

/** No program moves further up than a screen is high. */
const MOST_ROWS_UP = 200;

/** Text without control characters but line ends and tabs, as it would stand on a screen of unlimited width. */
export function screenText(text: string): string {
  // eslint-disable-next-line no-control-regex -- the quick way for text that has none of these
  if (!/[\x00-\x08\x0b-\x1f\x7f-\x9f]/.test(text)) return text;
  const screen = new Screen();
  let at = 0;
  for (const match of text.matchAll(MARKS)) {
    screen.print(text.slice(at, match.index));
    screen.obey(match[0], match[1] ?? '', match[2]);
    at = match.index + match[0].length;
  }
  screen.print(text.slice(at));
  return screen.text();
}

class Screen {
  private readonly rows: string[] = [''];
  private row = 0;
  /** The next character that is printed replaces the line. */
  private fresh = false;

  print(text: string): void {
    if (text === '') return;
    this.rows[this.row] = this.fresh ? text : `${this.rows[this.row] ?? ''}${text}`;
    this.fresh = false;
  }

  obey(mark: string, parameters: string, command: string | undefined): void {
    if (mark.endsWith('\n')) this.moveTo(this.row + 1);
    else if (mark === '\r') this.fresh = true;
    else if (mark === '\b') this.rows[this.row] = (this.rows[this.row] ?? '').replace(/.$/su, '');
    else if (command !== undefined) this.move(command, Number.parseInt(parameters, 10) || 0);
    else if (mark.length === 1) this.print(`\\x${mark.charCodeAt(0).toString(16).padStart(2, '0')}`);
  }

  text(): string {
    return this.rows.join('\n');
  }

  private move(command: string, count: number): void {
    if (command === 'A' || command === 'F') this.moveTo(this.row - Math.min(count || 1, MOST_ROWS_UP));
    else if (command === 'B' || command === 'E')
      this.moveTo(Math.min(this.row + (count || 1), this.rows.length - 1));
    else if (command === 'G' || command === 'D') this.fresh = true;
    else if (command === 'K' && (count === 2 || this.fresh)) this.rows[this.row] = '';
  }

  /** Below the last row there is a new one; in a row that is there already, what is printed next replaces it. */
  private moveTo(row: number): void {
    this.row = Math.max(0, row);
    this.fresh = this.row < this.rows.length;
    while (this.rows.length <= this.row) this.rows.push('');
  }
}

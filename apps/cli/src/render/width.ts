/** Text in columns of a terminal, where a letter may take none, one or two of them. */
import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter();

/** How many columns the text takes; colours take none. */
export function widthOf(text: string): number {
  return stringWidth(text);
}

/** At most `columns` wide; what is cut off ends in an ellipsis. For plain text without colours, on one line. */
export function truncate(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of segmenter.segment(text)) {
    const next = widthOf(segment);
    if (width + next > columns - 1) break;
    kept += segment;
    width += next;
  }
  return `${kept}…`;
}

/** Filled with spaces up to `columns`; longer text stays as it is. */
export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Filled with spaces on the left. */
export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - widthOf(text))) + text;
}

/** Broken at spaces into lines of at most `columns`; a word that is longer is cut. Line breaks of the text stay. */
export function wrap(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, columns)));
}

function wrapLine(line: string, columns: number): string[] {
  if (widthOf(line) <= columns) return [line];
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/(?<= )/)) {
    if (current !== '' && widthOf(current + word.trimEnd()) > columns) {
      lines.push(current.trimEnd());
      current = '';
    }
    const pieces = widthOf(word.trimEnd()) > columns ? cutWord(word, columns) : [word];
    lines.push(...pieces.slice(0, -1));
    current += pieces.at(-1) ?? '';
  }
  return [...lines, current.trimEnd()];
}

function cutWord(word: string, columns: number): string[] {
  const pieces: string[] = [];
  let current = '';
  for (const { segment } of segmenter.segment(word)) {
    if (widthOf(current + segment.trimEnd()) > columns) {
      pieces.push(current);
      current = '';
    }
    current += segment;
  }
  return [...pieces, current];
}

/** Characters that people, our parser and bash could see differently. Judged on the raw line, before any parsing. */
import { finding, type Finding } from './rules.js';

/** C0 but tab and newline, DEL, C1, and halves of surrogate pairs. */
const CONTROL = /(?![\t\n])[\p{Cc}\p{Cs}]/u;

/** Spaces other than ours, zero-width and bidirectional marks, fillers, tags, private use. Emoji keep their selector. */
const INVISIBLE = /(?!\ufe0f)\p{Default_Ignorable_Code_Point}|[\p{Cf}\p{Zl}\p{Zp}\p{Co}\u2800]|(?! )\p{Zs}/u;

/** A backslash at the end of a line is harmless where a blank before it parts the words anyway. */
const JOINED_LINE = /(?:^|[^ \t])\\\n/;

/** Findings on the raw text. */
export function judgeCharacters(line: string): Finding[] {
  const findings: Finding[] = [];
  const look = (pattern: RegExp, make: (code: string) => Finding['message'], rule: Finding['rule']) => {
    const match = pattern.exec(line);
    if (match === null) return;
    const span = { start: match.index, end: match.index + match[0].length, text: match[0] };
    findings.push(finding(rule, make(codePoint(match[0])), span));
  };
  look(
    CONTROL,
    (code) => `The line holds a control character (${code}), which hides what runs.`,
    'character.control',
  );
  look(INVISIBLE, (code) => `The line holds an invisible character (${code}).`, 'character.invisible');
  const continuation = JOINED_LINE.exec(line) ?? (line.includes('#') ? /\\\n/.exec(line) : null);
  if (continuation !== null) {
    const start = continuation.index;
    const span = { start, end: start + continuation[0].length, text: continuation[0] };
    findings.push(finding('subset.continuation', 'A backslash joins two lines within a word.', span));
  }
  return findings;
}

function codePoint(text: string): string {
  return `U+${(text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

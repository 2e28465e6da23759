/** Characters that people, our parser and bash could see differently. Judged on the raw line, before any parsing. */
import { finding, type Finding } from './rules.js';

/** C0 but tab and newline, DEL, C1, and halves of surrogate pairs. */
// eslint-disable-next-line no-control-regex -- controls are what it looks for
const CONTROL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Spaces other than ours, zero-width and bidirectional marks, fillers, tag characters, private use. */
const INVISIBLE =
  /[\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]|[\ue000-\uf8ff]|[\u{f0000}-\u{10ffff}]/u;

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

/** For lines that are too long or too deep to parse: the deny list and the worst dangers, looked for in the plain text. */
import { matchLists } from './lists.js';
import { findDangers } from './dangerous/index.js';
import { baseName } from './program-name.js';
import { finding, isFinal, type Finding } from './rules.js';
import type { CommandPolicySettings } from './types.js';
import type { Arg } from './words.js';

const PIPED_DOWNLOAD = /\b(curl|wget)\b[^\n;&]{0,2000}\|\s*(sudo\s+)?(ba|z|da|k)?sh\b/;

/** Denials only; the line is asked in any case. Takes time in proportion to the length. */
export function quickScan(line: string, settings: CommandPolicySettings): Finding[] {
  const findings: Finding[] = [];
  let from = 0;
  for (const piece of line.split(/[\n;&|(){}`]/)) {
    const args = wordsIn(piece, from);
    from += piece.length + 1;
    const [name] = args;
    if (name === undefined) continue;
    const span = {
      start: name.span.start,
      end: args.at(-1)?.span.end ?? name.span.end,
      text: piece.trim().slice(0, 200),
    };
    const match = matchLists(args, settings);
    if (match?.decision === 'deny')
      findings.push(finding('list.deny', `The deny list has ${match.entry.join(' ')}.`, span));
    const call = { program: baseName(name.value), args: args.slice(1), span };
    findings.push(...findDangers(call, null).filter(({ rule }) => isFinal(rule)));
    if (findings.length > 0) return findings;
  }
  const download = line.includes('|') ? PIPED_DOWNLOAD.exec(line.slice(0, 200_000)) : null;
  if (download !== null) {
    const span = {
      start: download.index,
      end: download.index + download[0].length,
      text: download[0].slice(0, 200),
    };
    findings.push(finding('dangerous.download_run', 'It runs what it fetches.', span));
  }
  return findings;
}

/** Up to 20 words: enough for any entry and any danger. */
function wordsIn(piece: string, offset: number): Arg[] {
  const args: Arg[] = [];
  const words = /\S+/g;
  for (let match = words.exec(piece); match !== null && args.length < 20; match = words.exec(piece)) {
    const start = offset + match.index;
    const text = match[0].slice(0, 1_000);
    const value = text.replace(/^['"]+|['"]+$/g, '');
    args.push({
      kind: 'literal',
      value,
      span: { start, end: start + text.length, text },
      quoted: false,
      trouble: null,
    });
  }
  return args;
}

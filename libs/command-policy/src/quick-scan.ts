/** For lines that are too long or too deep to parse: the deny list and the worst dangers, looked for in the plain text. */
import { matchLists } from './lists.js';
import { findDangers } from './dangerous/index.js';
import { baseName, isDownloader, isShell } from './program-name.js';
import { finding, isFinal, type Finding } from './rules.js';
import type { CommandPolicySettings, Span } from './types.js';
import type { Arg } from './words.js';

/** The programs that can end in a denial by themselves. */
const CATASTROPHIC =
  /^(rm|srm|rimraf|mkfs|mk|wipe|blkdiscard|newfs|badblocks|dd|shred|chmod|chown|chgrp|setfacl|chattr|find|mv|tee|cp|install)/;

/** Denials only; the line is asked in any case. Takes time in proportion to the length. */
export function quickScan(line: string, settings: CommandPolicySettings): Finding[] {
  let from = 0;
  let isPiped = false;
  for (const piece of line.split(/[\n;&|(){}`]/)) {
    const args = wordsIn(piece, from);
    from += piece.length + 1;
    const [name] = args;
    if (name === undefined) continue;
    const end = args.at(-1)?.span.end ?? name.span.end;
    const span = { start: name.span.start, end, text: piece.trim().slice(0, 200) };
    const found = denied(args, span, settings, isPiped);
    if (found !== null) return [found];
    const fetches = args.some(({ value }) => isDownloader(baseName(value)));
    isPiped = line[from - 1] === '|' && (isPiped || fetches);
  }
  return [];
}

function denied(
  args: readonly Arg[],
  span: Span,
  settings: CommandPolicySettings,
  isPiped: boolean,
): Finding | null {
  const match = matchLists(args, settings);
  if (match?.decision === 'deny') {
    return finding('list.deny', `The deny list has ${match.entry.join(' ')}.`, span);
  }
  if (isPiped && args.some(({ value }) => isShell(baseName(value)))) {
    return finding('dangerous.download_run', 'It runs what it fetches.', span);
  }
  // The words may stand behind wrappers; a program is looked for at each of the first.
  for (let at = 0; at < Math.min(args.length, 4); at += 1) {
    const program = baseName(args[at]?.value ?? '');
    if (!CATASTROPHIC.test(program)) continue;
    const call = { program, args: args.slice(at + 1), span };
    const found = findDangers(call, null).find(({ rule }) => isFinal(rule));
    if (found !== undefined) return found;
  }
  return null;
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

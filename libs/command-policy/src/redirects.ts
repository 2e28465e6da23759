/** Redirections: what is read, what is written, and what plainly empties a file of the work. */
import type { Redirection } from 'unbash';
import { endangers } from './dangers/deletion.js';
import type { LineState, PartRecord } from './line-state.js';
import { isDiskDevice, judgeRead } from './paths.js';
import { finding, type Finding } from './rules.js';
import type { Source } from './source.js';
import { readWord } from './words.js';

/** Findings on one redirection of `part`. */
export function judgeRedirection(
  redirect: Redirection,
  source: Source,
  part: PartRecord,
  state: LineState,
): Finding[] {
  const span = source.span(redirect.pos, redirect.end);
  if (redirect.type === 'HereDoc') return judgeHereDoc(redirect, span);
  if (redirect.target === undefined) return [finding('parse.error', 'The redirection has no target.', span)];
  const target = readWord(
    redirect.target,
    source.span(redirect.target.pos, redirect.target.end),
    state.variables,
  );
  const { value, trouble, kind } = target;
  const findings = trouble === null ? [] : [trouble];
  if (redirect.type === 'HereString') return findings;
  if (redirect.descriptor?.type === 'FileDescriptorVariable')
    findings.push(finding('subset.redirection', 'The file descriptor is stored in a variable.', span));
  const { operator } = redirect;
  if (/^[<>]&$/.test(operator) && /^(\d|-)$/.test(value)) return findings;
  if (operator === '<') {
    const found =
      kind === 'glob'
        ? finding('subset.glob', 'It is not clear which file is read.', span)
        : judgeRead(target, value, state);
    return found === null ? findings : [...findings, found];
  }
  if (operator === '<&' || operator === '<>')
    return [...findings, finding('subset.redirection', `${operator} is not approved.`, span)];
  if (value === '/dev/null' || (/^\/dev\/std(out|err)$/.test(value) && operator !== '&>>')) return findings;
  if (isDiskDevice(value))
    return [
      finding('dangerous.device_write', `Writing to ${value} destroys what the device holds.`, target.span),
    ];
  // The variable of a loop, or a word of a script: every file in turn.
  const variable =
    kind === 'unknown' ? /^"?\$\{?(\w+|[@*])\}?"?$/.exec(redirect.target.text)?.[1] : undefined;
  const isEach = variable !== undefined && (state.loops > 0 || /^[\d@*]/.test(variable));
  const isGit = /(^|\/)\.git\//.test(value) || state.folders.some((folder) => /\/\.git(\/|$)/.test(folder));
  const empties = !operator.includes('>>') && (isEach || (isGit && endangers(target, true, state)));
  if (empties)
    findings.push(finding('dangerous.delete_work', `It empties ${target.span.text}.`, target.span));
  else if (operator !== '>>' && printsNothing(part))
    findings.push(finding('dangerous.delete', 'It empties the file.', span));
  return [...findings, finding('path.write', `It writes ${target.span.text}.`, target.span)];
}

function printsNothing({ program, args }: PartRecord): boolean {
  return (
    program === null ||
    program === ':' ||
    program === 'true' ||
    (program === 'cat' && args[1]?.value === '/dev/null')
  );
}

function judgeHereDoc(redirect: Extract<Redirection, { type: 'HereDoc' }>, span: Finding['span']): Finding[] {
  const { delimiter, body, closing } = redirect;
  if (delimiter === undefined || closing === undefined)
    return [finding('parse.error', 'The here-document does not end.', span)];
  if (!/^(['"]?)\w+\1$/.test(delimiter.text))
    return [finding('parse.error', 'The delimiter of the here-document is not a plain word.', span)];
  const isPlain = body.parts === undefined || body.parts.every((each) => each.type === 'Literal');
  const expands = !delimiter.quoted && (/[$`]/.test(body.text.replace(/\\[$`\\]/g, '')) || !isPlain);
  return expands
    ? [finding('subset.expansion', 'The here-document holds expansions; quote its delimiter.', span)]
    : [];
}

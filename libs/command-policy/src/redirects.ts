/** Redirections: to plain files of the workspace, to /dev/null, and between the descriptors of the command. */
import type { Redirection } from 'unbash';
import type { LineState, PartRecord } from './line-state.js';
import { isDiskDevice, judgePath } from './paths.js';
import { finding, type Finding } from './rules.js';
import { noteWrite } from './schema/judge-use.js';
import type { Source } from './source.js';
import { readWord } from './words.js';

/** Findings on one redirection; writes are noted for `part`. */
export function judgeRedirection(
  redirect: Redirection,
  source: Source,
  part: PartRecord,
  state: LineState,
): Finding[] {
  const span = source.span(redirect.pos, redirect.end);
  if (redirect.type === 'HereDoc') {
    if (!/^(['"]?)\w+\1$/.test(redirect.delimiter?.text ?? '')) {
      return [finding('subset.redirection', 'The delimiter of the here-document is not a plain word.', span)];
    }
    const isPlain =
      redirect.body.parts === undefined || redirect.body.parts.every((each) => each.type === 'Literal');
    const hasExpansion =
      redirect.delimiter?.quoted !== true &&
      (/[$`]/.test(redirect.body.text.replace(/\\[$`\\]/g, '')) || !isPlain);
    if (redirect.delimiter === undefined || redirect.closing === undefined)
      return [finding('parse.error', 'The here-document does not end.', span)];
    return hasExpansion
      ? [finding('subset.expansion', 'The here-document holds expansions; quote its delimiter.', span)]
      : [];
  }
  if (redirect.descriptor?.type === 'FileDescriptorVariable') {
    return [finding('subset.redirection', 'The file descriptor is stored in a variable.', span)];
  }
  if (redirect.target === undefined) return [finding('parse.error', 'The redirection has no target.', span)];
  const target = readWord(redirect.target, source.span(redirect.target.pos, redirect.target.end));
  if (redirect.type === 'HereString') return target.trouble === null ? [] : [target.trouble];
  if (target.trouble !== null) return [target.trouble];
  if (target.kind !== 'literal')
    return [finding('subset.glob', `It is not clear which file ${target.span.text} names.`, target.span)];
  const { value } = target;
  const { operator } = redirect;
  if ((operator === '>&' || operator === '<&') && /^(\d|-)$/.test(value)) return [];
  if (operator === '>&' && !/^[\w./-]+$/.test(value)) {
    // Bash expands what comes out once more, whatever was quoted: `>& '$(command)'` runs the command.
    return [finding('subset.redirection', 'After >& even a quoted word is expanded; use &> instead.', span)];
  }
  if (operator === '<&' || operator === '<>')
    return [finding('subset.redirection', `${operator} is not approved.`, span)];
  if (operator === '<') {
    const found = judgePath(target, value, 'read', state);
    return found === null ? [] : [found];
  }
  if (value === '/dev/null' || (/^\/dev\/std(out|err)$/.test(value) && operator !== '&>>')) return [];
  if (isDiskDevice(value)) {
    return [
      finding('dangerous.device_write', `Writing to ${value} destroys what the device holds.`, target.span),
    ];
  }
  return noteWrite(target, value, part, state);
}

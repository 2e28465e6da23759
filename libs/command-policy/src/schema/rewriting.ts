/** Formatters and fixers: what they are given counts as written, and of a folder all files of their kind. */
import type { LineState } from '../line-state.js';
import { joinPath, judgePath } from '../paths.js';
import { finding, type Finding } from '../rules.js';
import { treeOf } from '../tree.js';
import type { Span } from '../types.js';
import type { Arg } from '../words.js';
import type { ProgramUse, Rewriting } from './program-schema.js';

/** `paths` as given; null stands for the folder that the program is in. */
export function judgeRewriting(
  use: ProgramUse,
  rewriting: Rewriting,
  paths: readonly (Arg | null)[],
): Finding[] {
  const { state, part, program } = use;
  if (!isRewriting(use, rewriting)) return [];
  if (!state.settings.allowWrite) {
    return [finding('write.off', `${program} changes files, and that needs approval here.`, part.span)];
  }
  return paths.flatMap((arg) => {
    const start = arg === null ? '.' : startOf(arg.value);
    const direct = arg === null ? null : judgePath(arg, start, 'write', state);
    const found = direct ?? judgeBelow(start, rewriting, arg?.span ?? part.span, state);
    return found === null ? [] : [found];
  });
}

function isRewriting({ flags }: ProgramUse, rewriting: Rewriting): boolean {
  const isGiven = (names: readonly string[] | undefined): boolean =>
    flags.some(({ name }) => names?.includes(name) === true);
  return (rewriting.with === undefined || isGiven(rewriting.with)) && !isGiven(rewriting.but);
}

/** The folder in which a pattern of the tool's own begins, and that of `./...`. */
function startOf(value: string): string {
  const wild = value.search(/[*?[{]|\.\.\.$/);
  return wild < 0 ? value : value.slice(0, wild).replace(/[^/]*$/, '') || '.';
}

function judgeBelow(start: string, { files }: Rewriting, span: Span, state: LineState): Finding | null {
  if (!state.context.seesFiles) return null;
  for (const folder of state.folders) {
    const entries = treeOf(joinPath(folder, start), state.context);
    if (entries === null)
      return finding('path.unseen', `There is more below ${start} than can be checked.`, span);
    const kept = entries.find(
      ({ relative, kind, name, place }) =>
        relative !== '' && kind !== 'folder' && files.test(name) && place !== 'inside',
    );
    if (kept !== undefined) {
      const rule = kept.place === 'outside' ? 'path.outside' : 'path.protected';
      return finding(rule, `It would change ${kept.relative}, which needs approval.`, span);
    }
  }
  return null;
}

/** cp and mv: every path that they would write is judged, down to the last file of a folder; what moves is written too. */
import { globMayNameObeyed } from '../file-names.js';
import { joinPath, judgePath, tidyPath } from '../paths.js';
import { finding, type Finding } from '../rules.js';
import { noteWrite } from '../schema/judge-use.js';
import type { ProgramUse } from '../schema/program-schema.js';
import { judgeTree, treeOf } from '../tree.js';
import type { Arg } from '../words.js';

interface Transfer {
  readonly use: ProgramUse;
  readonly isMove: boolean;
  /** Whether whole folders go along. */
  readonly isDeep: boolean;
  readonly target: Arg;
  readonly targetPath: string;
}

/** Findings on the targets of a copy or move; the sources have been judged as read. */
export function judgeCopy(use: ProgramUse): Finding[] {
  const { program, flags, operands, state, part } = use;
  const has = (names: RegExp): boolean => flags.some(({ name }) => names.test(name));
  const given = flags.find(({ name }) => name === '-t' || name === '--target-directory');
  const target = given?.arg ?? operands.at(-1);
  const targetPath = given?.value ?? target?.value;
  const sources = given === undefined ? operands.slice(0, -1) : operands;
  if (target === undefined || targetPath === undefined) return [];
  const isMove = program === 'mv';
  const transfer = { use, isMove, isDeep: isMove || has(RECURSES), target, targetPath };
  const findings = judgeDevices(transfer);
  if (target.kind !== 'literal' || target.isExpanded === true)
    findings.push(finding('subset.glob', `It is not clear where ${target.span.text} leads.`, target.span));
  findings.push(...noteWrite(target, targetPath, part, state));
  for (const source of sources) findings.push(...judgeSource(transfer, source));
  // The findings above stand for this command; from here on its target may be, or hold, a link.
  if (isMove || has(COPIES_LINKS)) {
    const paths = [targetPath, ...(isMove ? sources.map(({ value }) => value) : [])];
    for (const folder of state.folders)
      state.moved.push(...paths.map((path) => tidyPath(joinPath(folder, path))));
  }
  return findings;
}

const RECURSES = /^(-[rRa]|--recursive|--archive)$/;
const COPIES_LINKS = /^(-[rRadP]|--recursive|--archive|--no-dereference|--preserve)$/;

function judgeDevices({ use, isMove, target }: Transfer): Finding[] {
  const device = use.operands.find(({ value }) => value === '-' || value.startsWith('/dev/'));
  if (device === undefined) return [];
  const isLoss = (isMove || device === target) && device.value === '/dev/null';
  return [
    finding(
      isLoss ? 'dangerous.delete' : 'dangerous.device',
      `${use.program} to or from ${device.value} is not a copy between files.`,
      device.span,
    ),
  ];
}

function judgeSource(transfer: Transfer, source: Arg): Finding[] {
  const { use, isMove, isDeep, targetPath } = transfer;
  const { state } = use;
  const name = source.value.replace(/\/+$/, '').split('/').at(-1) ?? '';
  if (name === '..' || name === '' || (name === '.' && !state.context.seesFiles))
    return [wholeContent(use.program, source)];
  if (source.kind === 'glob') return judgeUnknownSources(transfer, source);
  const findings = judgeTargets(transfer, source, source.value);
  // `cp -rT folder .`: the content itself is put there.
  if (isDeep && !state.context.seesFiles && isAsItIs(use) && /^\.?\/*$/.test(targetPath))
    findings.push(wholeContent(use.program, source));
  if (isMove) findings.push(...one(judgePath(source, source.value, 'write', state)));
  if (isDeep) {
    const everything = { followsLinks: true, selects: () => true };
    findings.push(...one(judgeTree(source.value, everything, source.span, state)));
  }
  return findings;
}

function wholeContent(program: string, source: Arg): Finding {
  const message = `${program} with a whole folder's content can replace protected files.`;
  return finding('path.protected', message, source.span);
}

/** Files that only a pattern names, or a search that the line runs first. */
function judgeUnknownSources(transfer: Transfer, source: Arg): Finding[] {
  const { use, isMove, isDeep, targetPath } = transfer;
  const paths = source.found?.paths() ?? null;
  if (source.found !== undefined && (isDeep || paths === null))
    return [finding('subset.glob', `It is not clear which files ${use.program} gets.`, source.span)];
  if (paths !== null) return paths.flatMap((path) => judgeTargets(transfer, source, path)).slice(0, 1);
  const name = source.value.split('/').at(-1) ?? '';
  if (globMayNameObeyed(name)) {
    const message = `${source.span.text} can become a protected file in ${targetPath}.`;
    return [finding('path.protected', message, source.span)];
  }
  if (!isMove) return [];
  return [finding('subset.glob', `It is not clear which files ${source.span.text} moves away.`, source.span)];
}

/** Each path at which the source, or a file in it, would end. */
function judgeTargets(transfer: Transfer, source: Arg, path: string): Finding[] {
  const { use, isDeep, target } = transfer;
  const { context, folders } = use.state;
  for (const folder of folders) {
    const entries = isDeep && context.seesFiles ? treeOf(joinPath(folder, path), context) : [];
    if (entries === null)
      return [finding('path.unseen', `There is more in ${path} than can be checked.`, source.span)];
    const below = entries.map(({ relative }) => relative).filter((relative) => relative !== '');
    for (const top of topsOf(transfer, path, folder)) {
      for (const end of [top, ...below.map((relative) => joinPath(top, relative))]) {
        const found = judgePath({ ...target, kind: 'literal' }, end, 'write', use.state);
        if (found !== null) return [found];
      }
    }
  }
  return [];
}

/** Where the source goes: into the target when that is a folder, or else in its place. */
function topsOf({ use, targetPath }: Transfer, path: string, folder: string): string[] {
  const { state, flags } = use;
  const name = path.replace(/\/+$/, '').split('/').at(-1) ?? '';
  const inside = joinPath(targetPath, flags.some((flag) => flag.name === '--parents') ? path : name);
  if (isAsItIs(use)) return [targetPath];
  const view = state.context.look(joinPath(folder, targetPath));
  // Another command of the line may make a folder of it.
  const isSure = state.context.seesFiles && view !== 'unknown' && state.writes.length <= 1;
  if (!isSure) return [inside, targetPath];
  return [typeof view === 'string' ? targetPath : inside];
}

function isAsItIs({ flags }: ProgramUse): boolean {
  return flags.some(({ name }) => /^(-T|--no-target-directory)$/.test(name));
}

function one(found: Finding | null): Finding[] {
  return found === null ? [] : [found];
}

/** find: where it starts, what it tests, and the actions that only print. */
import { judgePath } from '../paths.js';
import { finding, type Finding } from '../rules.js';
import type { ProgramWords } from '../schema/program-schema.js';
import type { Arg } from '../words.js';

const ALONE = new Set([
  ...[
    '-print',
    '-print0',
    '-ls',
    '-empty',
    '-depth',
    '-d',
    '-prune',
    '-quit',
    '-xdev',
    '-mount',
    '-daystart',
    '-noleaf',
  ],
  ...[
    '-not',
    '!',
    '-o',
    '-or',
    '-a',
    '-and',
    '(',
    ')',
    ',',
    '-true',
    '-false',
    '-executable',
    '-readable',
    '-writable',
  ],
  ...[
    '-nouser',
    '-nogroup',
    '-warn',
    '-nowarn',
    '-ignore_readdir_race',
    '-noignore_readdir_race',
    '-H',
    '-L',
    '-P',
  ],
]);
export const WITH_VALUE = new Set([
  ...[
    '-name',
    '-iname',
    '-path',
    '-ipath',
    '-wholename',
    '-iwholename',
    '-regex',
    '-iregex',
    '-regextype',
    '-lname',
  ],
  ...[
    '-type',
    '-xtype',
    '-size',
    '-mtime',
    '-mmin',
    '-atime',
    '-amin',
    '-ctime',
    '-cmin',
    '-perm',
    '-user',
    '-group',
  ],
  ...['-uid', '-gid', '-links', '-inum', '-maxdepth', '-mindepth', '-used', '-fstype', '-printf', '-newermt'],
  ...['-newerct', '-newerat', '-ilname', '-context'],
]);
const WITH_FILE = new Set(['-newer', '-anewer', '-cnewer', '-samefile', '-newermm', '-neweraa', '-newercc']);
const RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const WRITES = new Set(['-fprint', '-fprint0', '-fprintf', '-fls']);

/** Findings on a call of find. Commands behind -exec are judged by whoever unwraps them. */
export function judgeFind({ args, state }: ProgramWords): Finding[] {
  const findings: Finding[] = [];
  let inTests = false;
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i] as Arg;
    const { value } = arg;
    if (!inTests && !value.startsWith('-') && !['!', '(', ')', ','].includes(value)) {
      findings.push(...startingPoint(arg, judgePath(arg, value, 'read', state)));
      continue;
    }
    if (value !== '-H' && value !== '-L' && value !== '-P') inTests = true;
    const next = args[i + 1];
    if (arg.kind !== 'literal')
      findings.push(finding('subset.glob', `${arg.span.text} can turn into a test of find.`, arg.span));
    else if (value === '-delete')
      findings.push(finding('dangerous.delete', 'find -delete removes every file that it finds.', arg.span));
    else if (RUNS.has(value)) {
      // The others run in the folder of what was found, whose repository or settings nobody has seen.
      if (value !== '-exec')
        findings.push(finding('flags.refused', `${value} is not approved; only -exec is.`, arg.span));
      i = skipCommand(args, i);
    } else if (WRITES.has(value))
      findings.push(finding('flags.refused', `${value} writes a file.`, arg.span));
    else if (value === '-L')
      findings.push(finding('flags.refused', 'find -L follows links out of the workspace.', arg.span));
    else if (WITH_VALUE.has(value) || WITH_FILE.has(value)) {
      i += 1;
      if (next === undefined) findings.push(finding('flags.value', `${value} needs a value.`, arg.span));
      else if (next.kind !== 'literal')
        findings.push(
          finding(
            'subset.glob',
            `The shell expands ${next.span.text} before find sees it; quote it.`,
            next.span,
          ),
        );
      else if (WITH_FILE.has(value))
        findings.push(...startingPoint(next, judgePath(next, next.value, 'read', state)));
    } else if (!ALONE.has(value)) {
      findings.push(
        finding('flags.unknown', `${value} is not a test of find known to be harmless.`, arg.span),
      );
    }
  }
  return findings;
}

function startingPoint(arg: Arg, found: Finding | null): Finding[] {
  if (arg.kind === 'glob' && /^[*?[]/.test(arg.value)) {
    return [finding('subset.glob', `${arg.span.text} can turn into a test of find.`, arg.span)];
  }
  return found === null ? [] : [found];
}

/** The place of the word that ends the command behind -exec. */
function skipCommand(args: readonly Arg[], from: number): number {
  for (let i = from + 1; i < args.length; i += 1) if (isEnd(args, i)) return i;
  return args.length;
}

function isEnd(args: readonly Arg[], at: number): boolean {
  const value = args[at]?.value;
  return value === ';' || (value === '+' && args[at - 1]?.value === '{}');
}

/** The commands that a call of find runs, each without its end. */
export function commandsOfFind(args: readonly Arg[]): Arg[][] {
  const commands: Arg[][] = [];
  for (let i = 0; i < args.length; i += 1) {
    if (!RUNS.has(args[i]?.value ?? '')) continue;
    const end = skipCommand(args, i);
    commands.push(args.slice(i + 1, end));
    i = end;
  }
  return commands;
}

/** What bash does itself. Only what changes nothing that a later command of the line could be misled by. */
import { judgeAssignment } from '../environment.js';
import { joinPath, judgePath, tidyPath } from '../paths.js';
import { finding, type Finding } from '../rules.js';
import { flagTable } from '../schema/flag-table.js';
import type { ProgramSchema, ProgramWords } from '../schema/program-schema.js';

export const BUILTINS: Readonly<Record<string, ProgramSchema>> = {
  ':': { operands: ['text*'] },
  true: { operands: ['text*'] },
  false: { operands: ['text*'] },
  echo: { judge: judgeEcho },
  printf: { judge: judgePrintf },
  pwd: { flags: flagTable('-L -P') },
  test: { judge: judgeTest },
  '[': { judge: judgeTest },
  cd: { judge: judgeCd },
  exit: { operands: ['num'], variables: true },
  wait: {},
  set: { judge: judgeSet },
  export: { judge: judgeExport },
  type: { operands: ['word*'], flags: flagTable('-a -t -p -P -f') },
  command: { operands: ['word*'], flags: flagTable('-v -V') },
  printenv: { judge: judgePrintenv },
};

/** Whatever echo gets it prints; but a pattern makes it list a folder. */
function judgeEcho({ args, state }: ProgramWords): Finding[] {
  return args.flatMap((arg) => {
    if (arg.kind === 'unknown' && arg.trouble === null) return [unknownWord(arg)];
    if (arg.kind === 'variable' && arg.isOpen === true && /[*?[]/.test(arg.span.text))
      return [unknownWord(arg)];
    if (arg.kind !== 'glob' && arg.isExpanded !== true) return [];
    const listed = arg.isExpanded === true ? arg.value.replace(/[^/]*$/, '') || '.' : arg.value;
    const found = judgePath(arg, listed, 'list', state);
    return found === null ? [] : [found];
  });
}

const FORMAT = /%(%|[-+ #0]*\d*(\.\d+)?[bcdeEfFgGiosuqxX])/g;

/** A format of plain conversions only: `-v` and `%n` set variables, `PATH` among them. */
function judgePrintf(words: ProgramWords): Finding[] {
  const { args } = words;
  const format = args[0]?.value === '--' ? args[1] : args[0];
  if (format === undefined) return [];
  if (format.kind !== 'literal') return [finding('flags.value', 'The format is not known.', format.span)];
  if (format.value.startsWith('-')) {
    return [finding('flags.refused', 'printf with a flag sets a variable.', format.span)];
  }
  if (format.value.replace(FORMAT, '').includes('%')) {
    return [
      finding(
        'flags.value',
        'The format holds more than plain conversions; one of them sets a variable.',
        format.span,
      ),
    ];
  }
  return judgeEcho(words);
}

const TESTS = new Set([
  ...[
    '-e',
    '-f',
    '-d',
    '-r',
    '-w',
    '-x',
    '-s',
    '-L',
    '-h',
    '-n',
    '-z',
    '-b',
    '-c',
    '-p',
    '-S',
    '-g',
    '-u',
    '-k',
    '-O',
    '-G',
    '-N',
    '-t',
  ],
  ...[
    '=',
    '==',
    '!=',
    '-eq',
    '-ne',
    '-lt',
    '-le',
    '-gt',
    '-ge',
    '-nt',
    '-ot',
    '-ef',
    '-a',
    '-o',
    '!',
    '(',
    ')',
    ']',
    '<',
    '>',
  ],
]);

/** `-v` and `-R` read a name as an expression, which may hold a command; other words are text. */
function judgeTest({ args }: ProgramWords): Finding[] {
  const findings: Finding[] = [];
  for (const arg of args) {
    if (arg.kind === 'variable' && arg.isOpen === true) findings.push(unknownWord(arg));
    if (arg.kind === 'variable') continue;
    if (arg.kind === 'glob' && arg.value !== '[')
      findings.push(finding('subset.glob', `It is not clear which files ${arg.span.text} names.`, arg.span));
    else if (/^-[a-zA-Z]{1,2}$/.test(arg.value) && !TESTS.has(arg.value)) {
      findings.push(finding('flags.refused', `${arg.value} is not a plain test.`, arg.span));
    }
  }
  return findings;
}

/** The shell is in the new folder from here on, or still in the old one when that failed. */
function judgeCd({ args, state, part }: ProgramWords): Finding[] {
  // Without -P bash goes by the text, as the check below does.
  const [target] = args;
  if (
    args.length !== 1 ||
    target === undefined ||
    target.kind !== 'literal' ||
    target.value.startsWith('-')
  ) {
    return [finding('path.outside', 'It is not clear where cd leads.', target?.span ?? part.span)];
  }
  const found =
    target.value === ''
      ? finding('path.outside', 'cd has an empty target.', target.span)
      : judgePath(target, target.value, 'read', state);
  if (found !== null) return [found];
  const moved = state.folders.map((folder) => joinPath(folder, target.value));
  const byText = moved.map(tidyPath);
  if (byText.some((folder) => state.context.placeOf(folder) === 'outside')) {
    return [finding('path.outside', `${target.value} leads out of the workspace.`, target.span)];
  }
  state.cdTargets = byText;
  state.folders = [...new Set([...state.folders, ...byText])].slice(0, 16);
  return [];
}

const SET_FLAGS = /^-(e|u|x|eu|ue|ex|ux|eux)$/;

function judgeSet({ args, part }: ProgramWords): Finding[] {
  const words = args.map((arg) => arg.value).join(' ');
  if (
    args.length > 0 &&
    (args.length === 1 || /^(-e|-u|-eu|-x|-eux) -o pipefail$/.test(words)) &&
    SET_FLAGS.test(args[0]?.value ?? '')
  )
    return [];
  if (/^(-o pipefail|-(e|u|eu|ex|eux)o pipefail)$/.test(words)) return [];
  return [finding('subset.assignment', 'set changes how the shell reads what follows.', part.span)];
}

function judgeExport({ args }: ProgramWords): Finding[] {
  return args.flatMap((arg) => {
    const at = arg.value.indexOf('=');
    if (at < 0)
      return [finding('subset.assignment', `export ${arg.value} is not known to be harmless.`, arg.span)];
    const found = judgeAssignment(
      arg.value.slice(0, at),
      arg.kind === 'literal' ? arg.value.slice(at + 1) : null,
      arg.span,
    );
    return found === null ? [] : [found];
  });
}

const PUBLIC_VARIABLES =
  /^(PATH|HOME|PWD|USER|LOGNAME|SHELL|LANG|LC_\w+|TERM|TZ|NODE_ENV|CI|HOSTNAME|EDITOR|PAGER)$/;

function judgePrintenv({ args, part }: ProgramWords): Finding[] {
  if (args.length > 0 && args.every((arg) => PUBLIC_VARIABLES.test(arg.value))) return [];
  return [finding('dangerous.credentials', 'The environment may hold secrets.', args[0]?.span ?? part.span)];
}

function unknownWord(arg: { readonly span: Finding['span'] }): Finding {
  return finding('subset.expansion', `It is not clear what ${arg.span.text} stands for.`, arg.span);
}

/** Programs whose operand is a small program of its own: sed, awk, jq. Approved only when it provably just edits text. */
import { finding, type Finding } from '../rules.js';
import { flagTable } from '../schema/flag-table.js';
import { judgeUse, noteWrite } from '../schema/judge-use.js';
import type { ProgramSchema, ProgramUse, ProgramWords } from '../schema/program-schema.js';
import type { Arg } from '../words.js';
import { unsafeSed } from './sed-script.js';

const JQ: ProgramSchema = {
  operands: ['pattern', 'in*'],
  flags: flagTable(
    '-r -c -s -n -e -S -R -C -M -a -j --raw-output --compact-output --slurp --null-input --exit-status --sort-keys',
    '--raw-input --color-output --monochrome-output --ascii-output --join-output --tab --indent=num --stream --seq',
    '--help --version',
  ),
  refused: flagTable('-f --from-file=text -L --slurpfile --rawfile --run-tests --args --jsonargs'),
  check: judgeJq,
};

export const SCRIPT_PROGRAMS: Readonly<Record<string, ProgramSchema>> = {
  sed: {
    operands: ['pattern', 'in*'],
    flags: flagTable(
      '-n -E -r -s -u -z -e:pattern -i[suffix] -l:num --quiet --silent --regexp-extended --separate --unbuffered',
      '--null-data --expression=pattern --in-place[=suffix] --posix --sandbox --debug --help --version',
    ),
    refused: flagTable('-f --file=text --follow-symlinks'),
    check: judgeSed,
  },
  awk: {
    style: 'posix',
    operands: ['pattern', 'in*'],
    flags: flagTable('-F:pattern -v:pattern'),
    refused: flagTable(
      '-f --file=text -i --include=text -l --load=text -e --source=text -E --exec=text -o -d -p -D',
    ),
    check: judgeAwk,
  },
  jq: {
    judge: judgeJqWords,
    refused: flagTable('-f --from-file=text -L --slurpfile --rawfile --run-tests --args --jsonargs'),
  },
};

for (const name of ['gawk', 'mawk', 'nawk'])
  Object.assign(SCRIPT_PROGRAMS, { [name]: SCRIPT_PROGRAMS['awk'] });

function judgeSed({ flags, operands, state, part }: ProgramUse): Finding[] {
  const given = flags.filter(({ name }) => name === '-e' || name === '--expression');
  const scripts = given.length > 0 ? given : operands.slice(0, 1).map((arg) => ({ value: arg.value, arg }));
  const findings: Finding[] = [];
  for (const { value, arg } of scripts) {
    const unsafe = arg.kind === 'glob' ? arg.value : unsafeSed(value ?? '');
    if (unsafe === null) continue;
    const message = `The sed script may run a command or touch another file: ${unsafe}`;
    findings.push(finding('program.runs_code', message, arg.span));
  }
  if (scripts.length > 1 && scripts.some(({ value }) => /\\$|[aic]$/.test(value ?? ''))) {
    findings.push(
      finding(
        'program.runs_code',
        'sed reads its scripts as one; this one continues in the next.',
        part.span,
      ),
    );
  }
  if (flags.some(({ name }) => name === '-i' || name === '--in-place')) {
    for (const arg of given.length > 0 ? operands : operands.slice(1)) {
      if (arg.kind !== 'literal')
        findings.push(
          finding('subset.glob', `It is not clear which files ${arg.span.text} names.`, arg.span),
        );
      else findings.push(...noteWrite(arg, arg.value, part, state));
    }
  }
  return findings;
}

/** Words by which awk runs programs, reads or writes files, or reaches what is not in its input. */
const AWK_POWERS = /\b(system|getline|close|fflush|ARGV|ENVIRON|PROCINFO|SYMTAB|FUNCTAB)\b|[@\\`]|\/inet/;

function judgeAwk({ flags, operands }: ProgramUse): Finding[] {
  const findings: Finding[] = [];
  for (const { value, arg } of flags) {
    if (/[@`|>]|\\\\/.test(value ?? '') && !/^[|>]$/.test(value ?? '')) {
      findings.push(finding('program.runs_code', 'The value may be more than text to awk.', arg.span));
    }
  }
  const [program] = operands;
  if (program === undefined) return findings;
  const unsafe = program.kind === 'glob' || unsafeAwk(program.value);
  if (unsafe) {
    const message = 'The awk program may run a command or touch a file that is not its input.';
    findings.push(finding('program.runs_code', message, program.span));
  }
  return findings;
}

function unsafeAwk(program: string): boolean {
  if (AWK_POWERS.test(program.replace(/\\[tn"./]/g, ' '))) return true;
  if (program.replaceAll('||', ' ').includes('|')) return true;
  // Behind print and printf a `>` opens a file; before the first of them it can only compare.
  const print = program.search(/print/);
  return print >= 0 && program.indexOf('>', print) >= 0;
}

/** `--arg NAME VALUE` has two values, which are text to the program. */
function judgeJqWords({ program, args, state, part }: ProgramWords): readonly Finding[] {
  const rest: Arg[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] as Arg;
    const isPair =
      /^--arg(json)?$/.test(arg.value) && args.slice(at + 1, at + 3).every(({ kind }) => kind === 'literal');
    if (isPair) at += 2;
    else rest.push(arg);
  }
  return judgeUse(program, rest, JQ, state, part);
}

/** jq can load modules and data from files, and read the environment. */
function judgeJq({ operands }: ProgramUse): Finding[] {
  const [program] = operands;
  if (program === undefined || program.kind === 'glob') {
    return program === undefined
      ? []
      : [finding('subset.glob', 'The jq program is not known.', program.span)];
  }
  // `.env` is a field like others.
  const text = program.value.replace(/(?<![.\w])((?:\.[A-Za-z_]\w*)+)/g, ' ');
  if (
    !/\b(import|include|env|ENV|input_filename|get_search_list|modulemeta|\$__prog_args|debug|stderr|halt_error)\b/.test(
      text,
    )
  )
    return [];
  return [finding('program.runs_code', 'The jq program reads the environment or other files.', program.span)];
}

/** node and the package managers: scripts of the project by their names, never an install, never code from the line. */
import { finding, type Finding } from '../rules.js';
import { flagTable, type FlagTable } from '../schema/flag-table.js';
import { judgeUse, noteCodeRun } from '../schema/judge-use.js';
import { readArgs } from '../schema/read-args.js';
import type { ProgramSchema, ProgramUse, ProgramWords } from '../schema/program-schema.js';
import type { Arg } from '../words.js';
import { NODE_TOOLS } from './node-tools.js';
import { isBuildOrTest, judgeWritingName } from './targets.js';

/** Loads code, opens a debugger's port, runs text of the line. */
const NODE_REFUSED = flagTable(
  '-e -p -r -i -c --eval=text --print=text --require=text --import=text --loader=text --experimental-loader=text --interactive',
  '--inspect[=text] --inspect-brk[=text] --env-file=text --openssl-config=text --snapshot-blob=text --build-snapshot --run=text',
  '--experimental-policy=text --icu-data-dir=text --redirect-warnings=text --report-on-signal --cpu-prof --heap-prof --prof -C',
);

const VERSION = flagTable('--version -v --help -h');

/** A script's own name, then words for it. */
const RUN: ProgramSchema = {
  style: 'long',
  flags: flagTable('-s --silent -q --if-present'),
  operands: ['target', 'guarded*'],
  check: judgeRun,
  runsCode: true,
};

function manager(scripts: FlagTable, more: Readonly<Record<string, ProgramSchema>>): ProgramSchema {
  const test: ProgramSchema = { ...RUN, flags: scripts, operands: ['guarded*'], check: judgePassedOn };
  const run: ProgramSchema = { ...RUN, flags: scripts };
  return {
    style: 'long',
    flags: new Map([...scripts, ...flagTable('-s --silent --no-color --color')]),
    refused: flagTable(
      '-C --prefix=text --dir=text --cwd=text --script-shell=text --node-options=text --userconfig=text --globalconfig=text -g --global --registry=text --shell=text',
    ),
    subcommands: { test, t: test, tst: test, run, 'run-script': run, ...more },
    bare: { style: 'long', flags: VERSION, operands: ['target', 'guarded*'], judge: judgeOther(scripts) },
  };
}

/** A manager that hands flags that it does not know to the script, without `--` in front. */
function handingOn(scripts: FlagTable, more: Readonly<Record<string, ProgramSchema>>): ProgramSchema {
  const whole = manager(scripts, more);
  const handsOn = (schema: ProgramSchema): ProgramSchema => ({
    judge: ({ program, args, state, part }) =>
      judgeUse(program, withDashes(args, scripts), schema, state, part),
  });
  const { test = RUN, run = RUN } = whole.subcommands ?? {};
  const own = { test: handsOn(test), run: handsOn(run) };
  return { ...whole, subcommands: { ...whole.subcommands, ...own, 'run-script': own.run } };
}

/** The words with `--` in front of the first flag that is none of the manager's. */
function withDashes(args: readonly Arg[], scripts: FlagTable): Arg[] {
  const at = args.findIndex(
    ({ value }) => value.startsWith('-') && !scripts.has(value.split('=', 1)[0] ?? ''),
  );
  const first = args[at];
  if (first === undefined || first.value === '--') return [...args];
  return [...args.slice(0, at), { ...first, kind: 'literal', value: '--' }, ...args.slice(at)];
}

const LOOK: ProgramSchema = {
  style: 'long',
  runsCode: true,
  operands: ['word*'],
  flags: flagTable(
    '--depth=num --all --json --long --parseable -l -a --prod --dev --omit=word --include=word --package-lock-only',
  ),
};

const NPM_SCRIPTS = flagTable(
  '-s --silent -q --quiet --if-present --workspaces -ws --workspace=name -w:name --include-workspace-root --no-color --loglevel=word --ignore-scripts',
);
const PNPM_SCRIPTS = flagTable(
  '-s --silent -r --recursive --if-present --filter=name -F:name --parallel --stream --no-bail --workspace-concurrency=num --aggregate-output --workspace-root -w',
);
const YARN_SCRIPTS = flagTable('-s --silent --verbose -T --top-level -B --binaries-only');

export const NODE_PROGRAMS: Readonly<Record<string, ProgramSchema>> = {
  node: { judge: judgeNode, refused: NODE_REFUSED },
  npm: manager(NPM_SCRIPTS, {
    ls: LOOK,
    list: LOOK,
    ll: LOOK,
    why: LOOK,
    explain: LOOK,
    root: { style: 'long' },
    prefix: { style: 'long' },
    version: { style: 'long' },
    pkg: { subcommands: { get: { style: 'long', operands: ['word*'] } } },
    help: { style: 'long', operands: ['word*'], check: openHelp },
  }),
  pnpm: handingOn(PNPM_SCRIPTS, {
    ls: LOOK,
    list: LOOK,
    why: LOOK,
    root: { style: 'long' },
    exec: { judge: judgeTool },
  }),
  yarn: handingOn(YARN_SCRIPTS, { list: LOOK, why: LOOK, info: LOOK, exec: { judge: judgeTool } }),
  bun: handingOn(flagTable('--silent'), { pm: { subcommands: { ls: LOOK } } }),
  npx: { judge: judgeTool },
  pnpx: { judge: judgeTool },
  bunx: { judge: judgeTool },
};

function openHelp({ part }: ProgramUse): Finding[] {
  return [finding('program.runs_code', 'npm help opens a viewer.', part.span)];
}

/** `pnpm lint`, `yarn build`, `yarn workspace a test`, `pnpm jest`: scripts and tools without the word `run`. */
function judgeOther(scripts: FlagTable): NonNullable<ProgramSchema['judge']> {
  return (words) => {
    const { program, args, state, part } = words;
    const [first] = args;
    if (first === undefined) {
      return [
        finding(
          'program.network',
          `${program} without a command installs packages or shows its help.`,
          part.span,
        ),
      ];
    }
    // yarn and pnpm first start what the project says is their version.
    if (args.every((arg) => VERSION.has(arg.value))) return program === 'npm' ? [] : noteCodeRun(part, state);
    if (program === 'npm') return [installs(program, first)];
    if (program === 'yarn' && first.value === 'workspace' && args.length > 2) {
      const rest = args.slice(args[2]?.value === 'run' ? 3 : 2);
      return judgeUse('yarn workspace', rest, { ...RUN, flags: scripts }, state, part);
    }
    if (program !== 'bun' && Object.hasOwn(NODE_TOOLS, first.value)) return judgeTool(words);
    const [name] = readArgs(args, { style: 'long-posix', flags: scripts }).operands;
    if (name !== undefined && isBuildOrTest(name.value)) {
      return judgeUse(program, args, { ...RUN, flags: scripts }, state, part);
    }
    return [installs(program, name ?? first)];
  };
}

const INSTALLS =
  /^(i|in|ins|inst|insta|instal|install|ci|clean-install|install-test|it|cit|add|update|up|upgrade|dedupe|rebuild|exec|x|dlx|create|init|link|audit|view|info|show|outdated|search|ping|fund|whoami|login|adduser)$/;

function installs(program: string, arg: Arg): Finding {
  if (INSTALLS.test(arg.value)) {
    const message = `${program} ${arg.value} reaches the package registry, or runs scripts of packages.`;
    return finding('program.network', message, arg.span);
  }
  return finding(
    'program.unknown_subcommand',
    `${program} ${arg.value} is not among the uses known to be harmless.`,
    arg.span,
  );
}

function judgeRun(use: ProgramUse): Finding[] {
  const [name, ...rest] = use.operands;
  if (name === undefined) return [];
  if (!isBuildOrTest(name.value)) {
    return [
      finding(
        'program.runs_script',
        `${name.value} is not named like a script that shows, builds or tests something.`,
        name.span,
      ),
    ];
  }
  return [...judgeWritingName(name, use.state), ...judgePassedOn({ ...use, operands: rest })];
}

/** Words that a script's program gets: it may be any test runner or linter, so only flags that are harmless in all of them. */
const PASSED_ON = flagTable(
  '-t:text -u --coverage[=word] --watch[=word] --watchAll[=word] --runInBand --run --bail[=word] --verbose --silent --ci --fix --no-coverage',
  '--testNamePattern=text --testPathPattern=text --testPathPatterns=text --grep=text --updateSnapshot --maxWorkers=word --passWithNoTests',
  '--noEmit --no-watch --quiet --help --version --max-warnings=num --forceExit --detectOpenHandles --json --colors --no-cache --check --write -i -w -b',
  '--onlyChanged --changed[=word] --findRelatedTests --listTests --color --reporter=word --timeout=num --retry=num --browser=word --headless --reporters=word',
  '--long --short --strict --pretty --prod --production --mode=word --filter=name --update --testTimeout=num --project=word --workspace=name',
);

/** Words by which a test or a linter writes what it finds wanting. */
const WRITES = /^(--fix|--write|-w|-u|--update|--updateSnapshot|--update-snapshots)$/;

function judgePassedOn({ operands, state }: ProgramUse): Finding[] {
  const findings: Finding[] = [];
  for (const arg of operands) {
    if (WRITES.test(arg.value) && !state.settings.allowWrite)
      findings.push(
        finding('write.off', `${arg.value} changes files, and that needs approval here.`, arg.span),
      );
    if (!arg.value.startsWith('-') || arg.value === '--') continue;
    const [name = '', value] = arg.value.split('=', 2);
    const flag = PASSED_ON.get(name);
    if (flag === undefined)
      findings.push(
        finding('flags.unknown', `${name} is not known to be harmless in what the script runs.`, arg.span),
      );
    else if (value !== undefined && flag.kind === 'word' && !/^[\w.,:@%+-]*$/.test(value)) {
      findings.push(finding('flags.value', `${value} is not a known value here.`, arg.span));
    }
  }
  return findings;
}

const NODE_FLAGS = flagTable(
  '--version -v --help -h --test --test-only --test-reporter={spec|tap|dot|junit|lcov} --test-name-pattern=text --test-concurrency=num',
  '--test-timeout=num --test-force-exit --experimental-test-coverage --no-warnings --trace-warnings --enable-source-maps --test-isolation={none|process}',
  '--experimental-vm-modules --experimental-strip-types --experimental-transform-types --max-old-space-size=num --stack-trace-limit=num',
  '--trace-uncaught --trace-deprecation --no-deprecation --throw-deprecation --expose-gc --unhandled-rejections=word --use-strict',
);

/** A script of the workspace, a check of one, or the built-in test runner. Without a script, node runs what comes from standard input. */
function judgeNode({ program, args, state, part }: ProgramWords): readonly Finding[] {
  const check = args[0]?.value;
  if (check === '--check' || check === '-c') {
    return judgeUse(program, args.slice(1), { style: 'long-posix', operands: ['code*'] }, state, part);
  }
  if (args.length > 0 && args.every((arg) => VERSION.has(arg.value))) return [];
  const isTest =
    args.some((arg) => arg.value === '--test') &&
    !args
      .slice(
        0,
        args.findIndex((arg) => arg.value === '--test'),
      )
      .some((arg) => !arg.value.startsWith('-'));
  const schema: ProgramSchema = {
    style: 'long-posix',
    flags: NODE_FLAGS,
    refused: NODE_REFUSED,
    operands: isTest ? ['script*'] : ['code', 'guarded*'],
    runsCode: true,
    check: (use) => judgeScriptFile(use, isTest),
  };
  return judgeUse(program, args, schema, state, part);
}

/** What node loads as code by its name; without a script it runs what comes by standard input. */
function judgeScriptFile({ operands, part }: ProgramUse, isTest: boolean): Finding[] {
  const [first] = operands;
  if ((first === undefined && !isTest) || first?.value === '-' || first?.value.startsWith('/dev/')) {
    return [
      finding('program.runs_code', 'Without a script, node runs what comes from standard input.', part.span),
    ];
  }
  // Whatever else a file is called, node would run it all the same.
  const scripts = isTest ? operands : operands.slice(0, 1);
  return scripts
    .filter(({ value }) => /\.\w+$/.test(value) && !/\.([cm]?[jt]sx?|json)$/.test(value))
    .map(({ value, span }) => finding('program.runs_script', `${value} is not named like a script.`, span));
}

/** npx of a common tool that is installed already; anything else would be fetched and run. */
function judgeTool({ program, args, state, part }: ProgramWords): readonly Finding[] {
  const skip = args.findIndex(
    (arg) => !/^(--no-install|--no|--offline|-s|--silent|exec|--)$/.test(arg.value),
  );
  const tool = args[skip];
  if (tool === undefined)
    return [finding('program.not_installed', `${program} runs an unknown package.`, part.span)];
  const schema = Object.hasOwn(NODE_TOOLS, tool.value) ? NODE_TOOLS[tool.value] : undefined;
  if (tool.kind !== 'literal' || schema === undefined) {
    return [
      finding(
        'program.not_installed',
        `${program} ${tool.span.text} may fetch and run any package.`,
        tool.span,
      ),
    ];
  }
  if (!state.folders.every((folder) => state.context.hasLocalProgram(tool.value, folder))) {
    return [
      finding(
        'program.not_installed',
        `${tool.value} is not installed here; ${program} would fetch it.`,
        tool.span,
      ),
    ];
  }
  return judgeUse(tool.value, args.slice(skip + 1), schema, state, part);
}

/** Compilers, linters and test runners of Node projects. All of them run code of the project: its configuration, at least. */
import { flagTable } from '../schema/flag-table.js';
import { finding, type Finding } from '../rules.js';
import type { ProgramSchema, ProgramUse } from '../schema/program-schema.js';
import { isBuildOrTest, judgeWritingName } from './targets.js';

/** What is made anew lies beside what there is. */
const NOTHING = /^$/;
/** Tests that are told to write what they now get. */
const SNAPSHOTS = /\.snap$/;

const HELP = '--help --version -v -h';

/** What linters and formatters of this world change in a folder. */
const SOURCES =
  /\.([cm]?[jt]sx?|json[c5]?|md|mdx|ya?ml|css|scss|sass|less|html?|vue|svelte|graphql|gql|hbs)$/i;

const LINTER: ProgramSchema = {
  style: 'long',
  runsCode: true,
  rewrites: { with: ['--write', '--fix'], files: SOURCES },
  operands: ['in*'],
  flags: flagTable(
    HELP,
    '--write --fix --quiet --cache --diagnostic-level=word --max-warnings=num --error-on-warnings',
  ),
};

/** Builds whose flags are few: a command word, a mode, a configuration of the project. */
const BUILD: ProgramSchema = {
  style: 'long',
  runsCode: true,
  operands: ['target'],
  flags: flagTable(
    HELP,
    '-c -m:word --mode=word --config=code --minify --sourcemap --clean --silent --no-lint --debug --profile --stats',
  ),
  check: judgeCommandWord,
};
const PLAIN_BUILD: ProgramSchema = {
  style: 'long',
  runsCode: true,
  ...(BUILD.flags && { flags: BUILD.flags }),
};
const MONOREPO: ProgramSchema = {
  style: 'long',
  runsCode: true,
  operands: ['target*'],
  flags: flagTable(
    HELP,
    '--filter=name -t:word --target=word -p:name --projects=word --all --parallel[=num] --skip-nx-cache --verbose --force --concurrency=num',
  ),
  check: judgeCommandWord,
};
const BUNDLERS: Readonly<Record<string, ProgramSchema>> = {
  vite: BUILD,
  next: BUILD,
  webpack: PLAIN_BUILD,
  rollup: PLAIN_BUILD,
  tsup: PLAIN_BUILD,
  nuxt: BUILD,
  astro: BUILD,
  nest: BUILD,
  ng: BUILD,
  turbo: MONOREPO,
  nx: MONOREPO,
  biome: { subcommands: { check: LINTER, lint: LINTER, format: LINTER, ci: LINTER } },
  oxlint: LINTER,
  stylelint: LINTER,
  cypress: {
    subcommands: {
      run: {
        style: 'long',
        runsCode: true,
        flags: flagTable('--headless -b:word --browser=word --spec=in -q --quiet --e2e --component'),
      },
    },
  },
};

export const NODE_TOOLS: Readonly<Record<string, ProgramSchema>> = {
  tsc: {
    style: 'long',
    runsCode: true,
    rewrites: {
      but: ['--noEmit', '--version', '-v', '--help', '-h', '--showConfig', '--dry'],
      files: NOTHING,
    },
    operands: ['guarded*'],
    flags: flagTable(
      HELP,
      '--noEmit -b --build -p:in --project=in --watch -w --strict --pretty[=word] --skipLibCheck --incremental --listFiles --verbose --dry --force --clean',
      '--showConfig --diagnostics --extendedDiagnostics --emitDeclarationOnly --declaration -d --sourceMap --allowJs --checkJs --esModuleInterop --jsx=word',
      '--target=word -t:word --module=word -m:word --moduleResolution=word --lib=word --outDir=out --outFile=out --rootDir=in --declarationDir=out --tsBuildInfoFile=out',
      '--noUnusedLocals --noUnusedParameters --noImplicitAny --isolatedModules --explainFiles --traceResolution --types=word --composite --resolveJsonModule',
    ),
  },
  eslint: {
    style: 'long',
    runsCode: true,
    rewrites: { with: ['--fix'], files: SOURCES },
    operands: ['in*'],
    flags: flagTable(
      HELP,
      '--fix --fix-dry-run --fix-type=word --ext=word --max-warnings=num --quiet --cache --cache-location=out --no-cache --ignore-path=in --no-ignore --ignore-pattern=text',
      '-c:code --config=code -f:{stylish|json|html|json-with-metadata|compact|unix} --format={stylish|json|html|json-with-metadata|compact|unix}',
      '-o:out --output-file=out --color --no-color --report-unused-disable-directives --no-error-on-unmatched-pattern --rule=text --print-config=in --debug --stdin --stdin-filename=in',
      '--cache-strategy=word --no-eslintrc --no-warn-ignored --pass-on-no-patterns --stats',
    ),
    refused: flagTable(
      '--rulesdir=text --plugin=text --parser=text --resolve-plugins-relative-to=text --init --no-config-lookup --flag=text',
    ),
  },
  prettier: {
    style: 'long',
    runsCode: true,
    rewrites: { with: ['--write', '-w'], files: SOURCES },
    operands: ['in*'],
    flags: flagTable(
      HELP,
      '-c -w -l -u --check --write --list-different --config=code --ignore-path=in --no-config --log-level=word --loglevel=word --parser=word --ignore-unknown --no-error-on-unmatched-pattern',
      '--cache --color --no-color --print-width=num --tab-width=num --single-quote --trailing-comma=word --no-semi --stdin-filepath=in --with-node-modules --find-config-path=in --file-info=in --end-of-line=word --prose-wrap=word',
    ),
    refused: flagTable('--plugin=text --plugin-search-dir=text --cache-location=text'),
  },
  jest: {
    style: 'long',
    runsCode: true,
    rewrites: { with: ['-u', '--updateSnapshot'], files: SNAPSHOTS },
    operands: ['guarded*'],
    flags: flagTable(
      HELP,
      '-i -t:text -u -o -w:word -c:code -f -b --runInBand --testNamePattern=text --testPathPattern=text --testPathPatterns=text --testPathIgnorePatterns=text --updateSnapshot --coverage[=word]',
      '--config=code --watch[=word] --watchAll[=word] --ci --bail[=num] --verbose --silent --maxWorkers=word --no-coverage --passWithNoTests --forceExit --detectOpenHandles --no-cache --onlyChanged',
      '--onlyFailures --findRelatedTests --listTests --json --outputFile=out --coverageDirectory=out --collectCoverageFrom=text --selectProjects=word --testTimeout=num --showConfig --colors --color --expand',
      '--randomize --seed=num --shard=text --logHeapUsage --changedSince=word --clearCache --runTestsByPath --errorOnDeprecated --coverageReporters={text|lcov|json|html|clover|text-summary} --workerIdleMemoryLimit=word --no-color --rootDir=in',
    ),
  },
  vitest: {
    style: 'long',
    runsCode: true,
    rewrites: { with: ['-u', '--update'], files: SNAPSHOTS },
    operands: ['guarded*'],
    flags: flagTable(
      HELP,
      '--run -r:in -u -t:text -w -c:code --config=code --root=in --dir=in --watch[=word] --update --coverage[=word] --reporter={default|verbose|dot|json|tap|tap-flat|junit|basic|hanging-process|github-actions|html} --outputFile=out',
      '--testNamePattern=text --passWithNoTests --bail=num --silent[=word] --changed[=word] --no-color --globals --mode=word --project=word --retry=num --testTimeout=num --hideSkippedTests --typecheck --no-coverage --shard=text --logHeapUsage',
      '--coverage.enabled --coverage.reporter={text|lcov|json|html|text-summary} --pool={threads|forks|vmThreads} --no-file-parallelism --allowOnly --sequence.shuffle',
    ),
  },
  mocha: {
    style: 'long',
    runsCode: true,
    operands: ['script*'],
    flags: flagTable(
      HELP,
      '-b -c -C -g:text -f:text -i -t:num -s:num -p -j:num --bail --grep=text --fgrep=text --invert --timeout=num --slow=num --parallel --jobs=num --recursive --exit --color --no-color --reporter={spec|dot|nyan|tap|list|progress|json|min|doc|xunit} -R:{spec|dot|tap|list|json|min|xunit} --forbid-only --extension=word --config=code --spec=code --retries=num --sort --check-leaks --full-trace',
    ),
    refused: flagTable(
      '-r --require=text --file=text --loader=text --import=text --ui=text --node-option=text',
    ),
  },
  knip: {
    style: 'long',
    runsCode: true,
    flags: flagTable(
      HELP,
      '--production --strict --no-config-hints --include=word --exclude=word --dependencies --exports --files --no-progress --workspace=text --reporter={symbols|compact|json|codeowners|markdown} --no-exit-code',
    ),
  },
  playwright: {
    subcommands: {
      test: {
        style: 'long',
        runsCode: true,
        operands: ['guarded*'],
        flags: flagTable(
          HELP,
          '-g:text --grep=text --project=word --workers=num --headed --retries=num --list --reporter={list|line|dot|json|junit|html|github} -x --max-failures=num --timeout=num --shard=text -u --update-snapshots --config=code -c:code',
        ),
      },
    },
  },
  ...BUNDLERS,
};

/** `vite build`, `nx test core`: the first word says what is done. */
function judgeCommandWord({ program, operands, flags, part, state }: ProgramUse): Finding[] {
  if (operands.length === 0 && flags.some(({ name }) => /^(--version|--help|-v|-h)$/.test(name))) return [];
  const words = operands.filter(({ value }) => value !== 'run' && value !== 'run-many');
  const [verb] = words;
  if (verb === undefined)
    return [
      finding(
        'program.unknown_subcommand',
        `${program} without a command starts a server or asks what to do.`,
        part.span,
      ),
    ];
  if (isBuildOrTest(verb.value)) return judgeWritingName(verb, state);
  return [
    finding(
      'program.runs_script',
      `${verb.value} is not named like a command that shows, builds or tests something.`,
      verb.span,
    ),
  ];
}

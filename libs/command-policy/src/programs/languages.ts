/** Compilers, builds and tests of other languages. */
import { finding, type Finding } from '../rules.js';
import { flagTable } from '../schema/flag-table.js';
import type { ProgramSchema, ProgramUse } from '../schema/program-schema.js';
import { PYTHON_PROGRAMS } from './python.js';
import { isBuildOrTest, judgeWritingName } from './targets.js';

const GO = /\.go$/;
const VERSION = flagTable('--version -V -v --help -h');

const GO_BUILD = [
  '-v -x -n -a -race -msan -cover -p:num -tags:word -trimpath -mod={mod|readonly|vendor} -covermode=word -coverpkg=text -buildvcs[=word] -asan',
];
const GO_REFUSED = flagTable(
  '-exec=text -toolexec=text -overlay=text -ldflags=text -gcflags=text -asmflags=text -gccgoflags=text -modfile=text -pkgdir=text -vettool=text -C=text -compiler=text -pgo=text -work -w=text -linkshared -buildmode=text -modcacherw -installsuffix=text',
);
const goUse = (flags: string, more: Partial<ProgramSchema> = {}): ProgramSchema => ({
  style: 'long',
  runsCode: true,
  operands: ['guarded*'],
  flags: flagTable(...GO_BUILD, flags),
  refused: GO_REFUSED,
  ...more,
});

const CARGO_COMMON =
  '--release --all --workspace --all-features --no-default-features --lib --bins --tests --examples --benches --all-targets -q -v -vv --quiet --verbose --offline --locked --frozen -p:word --package=word --exclude=word --features=word -F:word --bin=word --test=word --example=word --bench=word -j:num --jobs=num --profile=word --message-format=word --color=word --keep-going --manifest-path=in --target-dir=out --target=word -r --doc';
const CARGO_REFUSED = flagTable(
  '--config=text -Z -C --unit-graph --fix --allow-dirty --allow-staged --path=text --git=text --registry=text --index=text',
);
const cargoUse = (flags = '', more: Partial<ProgramSchema> = {}): ProgramSchema => ({
  style: 'long',
  runsCode: true,
  operands: ['guarded*'],
  flags: flagTable(CARGO_COMMON, flags),
  refused: CARGO_REFUSED,
  ...more,
});

const MAVEN: ProgramSchema = {
  style: 'long',
  runsCode: true,
  operands: ['target*'],
  check: judgeTargets,
  flags: flagTable(
    '-q -B -o -e -T:word -pl:text -am -amd -DskipTests -Dtest=word --quiet --batch-mode --offline --no-transfer-progress -ntp --version -v --errors -fae -ff',
  ),
};
const GRADLE: ProgramSchema = {
  style: 'long',
  runsCode: true,
  operands: ['target*'],
  check: judgeTargets,
  flags: flagTable(
    '-q --quiet --info --stacktrace --offline --no-daemon --parallel --continue --tests=text --rerun-tasks --warning-mode=word --console=word --version -v --dry-run -m -x:word --build-cache --no-build-cache -i -s',
  ),
};

const BUILDERS: Readonly<Record<string, ProgramSchema>> = {
  make: {
    runsCode: true,
    operands: ['guarded*'],
    check: judgeTargets,
    flags: flagTable(
      '-j[num] -k -s -B -n -q -w -i -S -l[num] -C:in -f:code --jobs[=num] --keep-going --silent --always-make --dry-run --directory=in --file=code --no-print-directory --version --help --output-sync[=word] -O[word] --trace',
    ),
    refused: flagTable('-E --eval=text -I --include-dir=text -e --environment-overrides -t -o -W -p'),
  },
  cmake: {
    runsCode: true,
    flags: flagTable(
      '--build=in -j:num --parallel=num --target=word -t:word --config=word --version --verbose --clean-first -S:in -B:out -G:text -D:text -v',
    ),
    refused: flagTable('-P -E -C -T --toolchain=text --install=text --open=text --workflow --preset=text'),
    check: judgeCmake,
  },
  ctest: {
    style: 'long',
    runsCode: true,
    flags: flagTable(
      '--test-dir=in --output-on-failure -j:num --parallel=num -R:text -E:text -L:text -V -VV -N --rerun-failed --version --timeout=num -Q --no-tests=word',
    ),
  },
  ninja: {
    runsCode: true,
    operands: ['target*'],
    check: judgeTargets,
    flags: flagTable('-C:in -j:num -v -n -k:num --version --quiet'),
  },
  mvn: MAVEN,
  mvnw: MAVEN,
  gradle: GRADLE,
  gradlew: GRADLE,
};

const TESTS: ProgramSchema = {
  style: 'long',
  runsCode: true,
  operands: ['in*'],
  flags: flagTable(
    '--version -v --verbose -q --filter=text --format=word --stop-on-failure --fail-fast --colors --coverage-text --no-coverage',
  ),
};
const TASKS: ProgramSchema = {
  style: 'long',
  runsCode: true,
  operands: ['target*'],
  check: judgeTargets,
  flags: flagTable('--version -q --quiet --verbose -v --trace'),
};
const TEST_AND_BUILD: ProgramSchema = {
  subcommands: { test: TESTS, build: TESTS, compile: TESTS },
  bare: { flags: VERSION },
};
const OTHER_TESTS: Readonly<Record<string, ProgramSchema>> = {
  rspec: TESTS,
  phpunit: TESTS,
  rake: TASKS,
  bundle: { subcommands: { exec: { subcommands: { rspec: TESTS, rake: TASKS, rubocop: TESTS } } } },
  rubocop: TESTS,
  composer: { style: 'long', subcommands: { test: TESTS, validate: TESTS } },
  swift: TEST_AND_BUILD,
  mix: TEST_AND_BUILD,
  'golangci-lint': {
    style: 'long',
    subcommands: {
      run: {
        style: 'long',
        runsCode: true,
        operands: ['guarded*'],
        flags: flagTable('-v --fix --fast --timeout=word --config=code'),
        rewrites: { with: ['--fix'], files: GO },
      },
    },
  },
};

export const LANGUAGE_PROGRAMS: Readonly<Record<string, ProgramSchema>> = {
  ...PYTHON_PROGRAMS,
  go: {
    style: 'long',
    refused: GO_REFUSED,
    subcommands: {
      build: goUse('-o:out'),
      test: goUse(
        '-run:text -bench:text -benchmem -benchtime:word -count:num -timeout:word -short -failfast -parallel:num -cpu:word -coverprofile:out -json -list:text -skip:text -shuffle:word -vet:word -fuzztime:word -o:out -c',
      ),
      vet: goUse('-json'),
      run: goUse('', { operands: ['guarded*'], check: judgeGoRun }),
      list: { style: 'long', operands: ['guarded*'], flags: flagTable('-m -json -f:text -deps -test -e') },
      fmt: {
        style: 'long',
        operands: ['guarded*'],
        flags: flagTable('-n -x'),
        rewrites: { but: ['-n'], files: GO },
      },
      version: { style: 'long' },
      env: { style: 'long', operands: ['word*'], flags: flagTable('-json'), refused: flagTable('-w -u') },
      doc: { style: 'long', operands: ['word*'], flags: flagTable('-all -short -src -u -c') },
      mod: {
        subcommands: {
          graph: { style: 'long' },
          verify: { style: 'long' },
          why: { style: 'long', operands: ['guarded*'], flags: flagTable('-m') },
        },
      },
    },
  },
  gofmt: {
    style: 'long',
    operands: ['in*'],
    flags: flagTable('-l -d -w -s -e'),
    rewrites: { with: ['-w'], files: GO },
  },
  cargo: {
    style: 'long',
    refused: CARGO_REFUSED,
    subcommands: {
      build: cargoUse(),
      b: cargoUse(),
      check: cargoUse(),
      c: cargoUse(),
      test: cargoUse('--no-run --no-fail-fast'),
      t: cargoUse('--no-run --no-fail-fast'),
      run: cargoUse(),
      clippy: cargoUse('--no-deps', { check: judgeClippy }),
      nextest: { subcommands: { run: cargoUse('--no-run --no-fail-fast --retries=num'), list: cargoUse() } },
      bench: cargoUse('--no-run'),
      doc: cargoUse('--no-deps --document-private-items'),
      fmt: {
        style: 'long',
        operands: ['guarded*'],
        flags: flagTable('--check --all -v -q'),
        runsCode: true,
        rewrites: { but: ['--check'], files: /\.rs$/ },
        check: ({ operands }) =>
          operands.filter((arg) => arg.value.startsWith('-') && arg.value !== '--check').map(unknown),
      },
      tree: {
        style: 'long',
        runsCode: true,
        flags: flagTable(
          '-i:word -p:word -d -e:word --depth=num --offline --locked --duplicates --workspace',
        ),
      },
      metadata: {
        style: 'long',
        runsCode: true,
        flags: flagTable('--no-deps --format-version=num --offline --locked -q'),
      },
      version: { runsCode: true },
    },
    // A file of the project may name the tool chain that starts.
    bare: { style: 'long', flags: VERSION, runsCode: true },
  },
  rustc: { flags: VERSION, runsCode: true, refused: flagTable('-C -L -Z -o') },
  dotnet: {
    style: 'long',
    subcommands: {
      build: {
        style: 'long',
        runsCode: true,
        operands: ['in*'],
        flags: flagTable('-c:word --configuration=word --no-restore -v:word --nologo'),
      },
      test: {
        style: 'long',
        runsCode: true,
        operands: ['in*'],
        flags: flagTable(
          '-c:word --configuration=word --no-restore --no-build --filter=text --nologo -v:word',
        ),
      },
    },
    bare: { flags: flagTable('--version --info --list-sdks') },
  },
  ...BUILDERS,
  ...OTHER_TESTS,
};

function unknown(arg: { value: string; span: Finding['span'] }): Finding {
  return finding('flags.unknown', `${arg.value} is not a flag known to be harmless here.`, arg.span);
}

/** `clean install` of Maven puts the result into the user's own store; everyone builds with it. */
function judgeTargets({ program, operands, state }: ProgramUse): Finding[] {
  const unknown = operands
    .filter(({ value }) => !isBuildOrTest(value.slice(value.lastIndexOf(':') + 1)))
    .filter(({ value }) => !(program.startsWith('mvn') && value === 'install'))
    .filter(({ value }) => !(program === 'make' && /^(V|Q|VERBOSE|DEBUG|CI|NO_COLOR)=\w*$/.test(value)))
    .map((arg) =>
      finding(
        'program.runs_script',
        `${arg.value} is not named like a target that shows, builds or tests something.`,
        arg.span,
      ),
    );
  return [...unknown, ...operands.flatMap((arg) => judgeWritingName(arg, state))];
}

/** Settings that name a compiler or a file are left to people. */
function judgeCmake({ flags }: ProgramUse): Finding[] {
  return flags
    .filter(
      ({ name, value }) =>
        name === '-D' &&
        !/^(CMAKE_BUILD_TYPE|CMAKE_EXPORT_COMPILE_COMMANDS|BUILD_TESTING|BUILD_SHARED_LIBS)=\w+$/.test(
          value ?? '',
        ),
    )
    .map(({ value, arg }) =>
      finding('flags.value', `${value ?? ''} is not a setting known to be harmless.`, arg.span),
    );
}

function judgeGoRun({ operands, part }: ProgramUse): Finding[] {
  const [target] = operands;
  if (target !== undefined && /^(\.|\.\/.*|[\w./-]+\.go)$/.test(target.value)) return [];
  return [finding('program.network', 'go run with a package may fetch it.', target?.span ?? part.span)];
}

/** Behind `--` clippy takes lints, and rustc flags that choose a linker. */
function judgeClippy({ operands }: ProgramUse): Finding[] {
  return operands
    .filter(
      (arg, at) =>
        !/^-[DWA]$/.test(arg.value) &&
        !(/^-[DWA]$/.test(operands[at - 1]?.value ?? '') && /^[\w:-]+$/.test(arg.value)),
    )
    .map(unknown);
}

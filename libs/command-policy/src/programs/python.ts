/** Python: tests, linters and package lists by their modules; never a file, never code from the line. */
import { finding, type Finding } from '../rules.js';
import { flagTable } from '../schema/flag-table.js';
import type { LineState } from '../line-state.js';
import { joinPath } from '../paths.js';
import { judgeUse } from '../schema/judge-use.js';
import type { CommandContext } from '../types.js';
import { STANDARD_MODULES } from './python-modules.js';
import type { ProgramSchema, ProgramUse, ProgramWords } from '../schema/program-schema.js';

const PYTHON_FILES = /\.(pyi?|ipynb)$/;
const VERSION = flagTable('--version -V -v --help -h');

const PYTEST: ProgramSchema = {
  runsCode: true,
  operands: ['guarded*'],
  check: judgeTextFiles,
  flags: flagTable(
    '-v -q -s -x -l -h -V -k:text -m:text -n:word -r:word --verbose --quiet --exitfirst --maxfail=num --lf --last-failed --ff --failed-first --nf --sw --stepwise --tb=word',
    '--durations=num --collect-only --co --no-header --no-summary --color=word --capture=word --markers --fixtures --setup-show --strict-markers --strict-config --cov[=guarded]',
    '--cov-report=word --no-cov --timeout=num --junitxml=out --junit-xml=out --ignore=in --deselect=text --version --help --disable-warnings --runxfail --cache-clear --rootdir=in --import-mode=word --numprocesses=word --dist=word',
  ),
  refused: flagTable(
    '-p -c -o --confcutdir=text --pyargs --pdb --pdbcls=text --pastebin=text --basetemp=text -W --override-ini=text --debug --trace',
  ),
};
const UNITTEST: ProgramSchema = {
  style: 'long',
  runsCode: true,
  operands: ['word', 'guarded*'],
  flags: flagTable(
    '-v -q -f -b -c -k:text -s:in -p:text -t:in --verbose --failfast --buffer --start-directory=in --pattern=text',
  ),
};
const MYPY: ProgramSchema = {
  style: 'long',
  runsCode: true,
  operands: ['in*'],
  flags: flagTable(
    '-v -p:word -m:word --strict --ignore-missing-imports --no-error-summary --show-error-codes --pretty --no-incremental --follow-imports=word --version --help --namespace-packages --explicit-package-bases --no-color-output --config-file=code --warn-unused-ignores --python-version=word --exclude=text',
  ),
};
const RUFF: ProgramSchema = {
  subcommands: {
    check: {
      style: 'long',
      operands: ['in*'],
      rewrites: { with: ['--fix', '--unsafe-fixes'], but: ['--diff'], files: PYTHON_FILES },
      flags: flagTable(
        '--fix --diff --select=word --ignore=word --extend-select=word --output-format=word --statistics --no-cache -q --quiet -v --verbose --show-fixes --unsafe-fixes --exit-zero --config=code --exclude=text --preview -n',
      ),
    },
    format: {
      style: 'long',
      operands: ['in*'],
      rewrites: { but: ['--check', '--diff'], files: PYTHON_FILES },
      flags: flagTable('--check --diff -q --quiet --no-cache --line-length=num --config=code --exclude=text'),
    },
    version: {},
  },
  bare: { flags: VERSION },
};
const BLACK: ProgramSchema = {
  style: 'long',
  rewrites: { but: ['--check', '--diff', '--version', '--help'], files: PYTHON_FILES },
  operands: ['in*'],
  flags: flagTable(
    '--check --diff -q -v --quiet --verbose -l:num --line-length=num -t:word -S --fast --safe --version --help --color --no-color --exclude=text --include=text -C',
  ),
};
const FLAKE8: ProgramSchema = {
  style: 'long',
  runsCode: true,
  operands: ['in*'],
  flags: flagTable(
    '-v -q --max-line-length=num --ignore=word --select=word --extend-ignore=word --count --statistics --show-source --exclude=text --version --max-complexity=num',
  ),
};
const ISORT: ProgramSchema = {
  style: 'long',
  rewrites: { but: ['--check', '--check-only', '--diff', '-c', '--version'], files: PYTHON_FILES },
  operands: ['in*'],
  flags: flagTable('--check --check-only --diff -c -q -v --profile=word --version'),
};
const COMPILEALL: ProgramSchema = {
  style: 'long',
  rewrites: { files: /\.pyc$/ },
  operands: ['in*'],
  flags: flagTable('-q -f -l'),
};
const PIP: ProgramSchema = {
  style: 'long',
  subcommands: {
    list: { style: 'long', flags: flagTable('--format=word --not-required --user --local -v') },
    show: { style: 'long', operands: ['word*'], flags: flagTable('-f --files') },
    freeze: { style: 'long', flags: flagTable('--all --local') },
    check: {},
  },
  bare: { flags: VERSION },
};
const PYLINT: ProgramSchema = {
  style: 'long',
  runsCode: true,
  operands: ['in*'],
  flags: flagTable(
    '--disable=word --enable=word --rcfile=code --output-format=word -j:num --jobs=num --fail-under=num --score=word -E --errors-only --version --help -v --recursive=word',
  ),
  refused: flagTable('--load-plugins=text --init-hook=text --init-import=text'),
};
/** The second operand is written. */
const JSON_TOOL: ProgramSchema = {
  style: 'long',
  operands: ['in', 'out'],
  flags: flagTable(
    '--sort-keys --no-ensure-ascii --json-lines --indent=num --tab --no-indent --compact -h --help',
  ),
};
const MODULES: Readonly<Record<string, ProgramSchema>> = {
  pytest: PYTEST,
  pylint: PYLINT,
  unittest: UNITTEST,
  mypy: MYPY,
  ruff: RUFF,
  black: BLACK,
  flake8: FLAKE8,
  isort: ISORT,
  py_compile: COMPILEALL,
  compileall: COMPILEALL,
  pip: PIP,
  'json.tool': JSON_TOOL,
};

export const PYTHON_PROGRAMS: Readonly<Record<string, ProgramSchema>> = {
  python: { judge: judgePython, refused: flagTable('-c') },
  python3: { judge: judgePython, refused: flagTable('-c') },
  pytest: PYTEST,
  pylint: PYLINT,
  poetry: { judge: judgeRunner },
  pipenv: { judge: judgeRunner },
  uv: { judge: judgeRunner },
  mypy: MYPY,
  ruff: RUFF,
  black: BLACK,
  flake8: FLAKE8,
  isort: ISORT,
  pip: PIP,
  pip3: PIP,
};

/** pytest runs examples that it finds in a text file when it is given one. */
function judgeTextFiles({ operands }: ProgramUse): Finding[] {
  return operands
    .filter(({ value }) => /\.(txt|rst|md|log|out)(::.*)?$/i.test(value))
    .map(({ value, span }) => finding('program.runs_script', `pytest runs the examples in ${value}.`, span));
}

function judgePython({ program, args, state, part }: ProgramWords): readonly Finding[] {
  const [first, module] = args;
  if (first !== undefined && args.length === 1 && VERSION.has(first.value) && first.value !== '-v') return [];
  if (first?.value === '-m' && module?.kind === 'literal' && Object.hasOwn(MODULES, module.value)) {
    const shadow = shadowOf(module.value, state);
    if (shadow !== null) {
      const message = `Python would load ${shadow} of the project instead of its own module.`;
      return [finding('project_code.shadows', message, module.span)];
    }
    // Whatever else the line writes may be such a module.
    state.codeRuns.push({ part, span: part.span, paths: [] });
    return judgeUse(
      `${program} -m ${module.value}`,
      args.slice(2),
      MODULES[module.value] as ProgramSchema,
      state,
      part,
    );
  }
  const isScript = first !== undefined && !first.value.startsWith('-');
  const message = isScript
    ? `${first.span.text} could be any program.`
    : `${program} runs code that the policy cannot judge.`;
  return [finding(isScript ? 'program.runs_script' : 'program.runs_code', message, first?.span ?? part.span)];
}

/** A file or folder of the project that Python would take for the module, or for one of its own that the module needs. */
function shadowOf(module: string, { context, folders }: LineState): string | null {
  const [head = module] = module.split('.');
  for (const folder of folders) {
    const view = context.look(folder);
    if (typeof view === 'string') continue;
    for (const { name, kind } of view) {
      const [stem = name] = name.split('.');
      const isMeant = stem === head || STANDARD_MODULES.has(stem);
      const isModule =
        kind === 'file' || kind === 'link' ? /\.(py|pyc|so)$/.test(name) : isPackage(context, folder, name);
      if (isMeant && (isModule || (kind !== 'file' && stem === head && name === head))) return name;
    }
  }
  return null;
}

function isPackage(context: CommandContext, folder: string, name: string): boolean {
  const view = context.look(joinPath(folder, name));
  return typeof view !== 'string' && view.some((entry) => entry.name.startsWith('__init__.'));
}

/** `poetry run pytest`: a known tool in the environment of the project. */
function judgeRunner({ program, args, state, part }: ProgramWords): readonly Finding[] {
  const [verb, tool, ...rest] = args;
  const schema = tool !== undefined && Object.hasOwn(MODULES, tool.value) ? MODULES[tool.value] : undefined;
  if (verb?.value === 'run' && tool?.kind === 'literal' && schema !== undefined && tool.value !== 'pip') {
    return judgeUse(`${program} run ${tool.value}`, rest, schema, state, part);
  }
  return [
    finding(
      'program.unknown_subcommand',
      `${program} is approved only with run and a known tool.`,
      tool?.span ?? part.span,
    ),
  ];
}

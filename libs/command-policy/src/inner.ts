/** Commands in commands: what wrappers, searches and shells run, which is judged as if it stood alone. */
import { isWatched } from './dangers/find-dangers.js';
import { commandsOfFind } from './find.js';
import { baseName, gitWords } from './program-name.js';
import { readArgs } from './reading/read-args.js';
import { rowsOf } from './reading/table.js';
import { finding, type Finding } from './rules.js';
import type { Span } from './types.js';
import type { Arg } from './arg.js';

export interface Inner {
  readonly commands: readonly (readonly Arg[])[];
  /** Words that are scripts: one, or the words of one. */
  readonly scripts: readonly (readonly Arg[])[];
  /** Whether the program itself does nothing but run these. */
  readonly isAll: boolean;
  readonly findings: readonly Finding[];
}

const NONE: Inner = { commands: [], scripts: [], isAll: false, findings: [] };

/** Programs that run what is behind them, in ways that only a person looks through. */
const RUNNERS =
  /^(sudo|doas|pkexec|runuser|setpriv|chroot|unshare|nsenter|su|ionice|setsid|coproc|exec|parallel|strace|ltrace|script|flock|busybox|toybox|proxychains\d?|torify|npx|pnpx|bunx|uvx|pipx|watch|entr|taskset|chrt|numactl|firejail|bwrap|unbuffer|dotenv|cross-env|env-cmd|concurrently|run-p|run-s|hyperfine|perf|valgrind|fakeroot|prlimit|systemd-run|docker|podman|mise|direnv|expect|tmux|screen|ssh|nodemon|watchexec|chokidar|onchange|ts-node|tsx|make|vim?|nvim|yarn|pnpm|bun|time|batch|at|nix-shell|conda|mamba)$/;
const RUNNING_USES =
  /^(npm (exec|x)|(uv|poetry|pipenv|pdm|hatch|rye) run|(bundle|lerna|rush) exec|git (bisect|submodule|rebase|filter-branch)|go run|cargo (watch|x))$/;

/** How many words behind a runner may be the program: some of them are values of its flags. */
const CANDIDATES = 3;

/** What a call runs. `search`: what feeds its input, when that is a search. */
export function innerOf(program: string, args: readonly Arg[], span: Span, fed: Arg | null): Inner {
  if (program === 'find') return { ...NONE, commands: commandsOfFind(args) };
  const [row] = rowsOf(program);
  // `command -v ls` only looks a name up.
  const isLookup = program === 'command' && /^-[vV]$/.test(args[0]?.value ?? '');
  const at = row?.operands.indexOf('command') ?? -1;
  if (row !== undefined && at >= 0 && !isLookup) {
    const { operands, findings } = readArgs(args, row.flags, true);
    // `env A=b ls`
    const from = operands.findIndex(({ value }, place) => place >= at && !isAssignment(value));
    const command = operands.slice(from);
    const doubts = [finding('use.unknown', `${program} is used in an unusual way.`, span)];
    const given = (words: readonly Arg[]): readonly Arg[] =>
      program === 'xargs' ? withInput(words, args, span, fed) : words;
    if (findings.length > 0 || from < 0) return { ...candidates(given(args)), findings: doubts };
    return { ...NONE, commands: [given(command)], isAll: true, findings: from > at ? doubts : [] };
  }
  if (/^(eval|trap|alias|su|script)$/.test(program)) return scriptsOf(program, args);
  if (/^python/.test(program) && args[0]?.value === '-m') return candidates(args.slice(1));
  const words = program === 'git' ? gitWords(args) : args;
  const use = `${program} ${words.find(({ value }) => !value.startsWith('-'))?.value ?? ''}`;
  if (RUNNERS.test(program) || RUNNING_USES.test(use)) return candidates(args);
  // `git -c alias.x='!command' x`
  const settings = program === 'git' ? args.slice(0, args.length - words.length) : [];
  return { ...NONE, scripts: settings.filter(isText).map((arg) => [after(arg, /^[\w.-]+=!?/)]) };
}

/** The first word that is a dangerous program, of those where the command may begin; and words that are scripts. */
function candidates(args: readonly Arg[]): Inner {
  const places = args.flatMap(({ value, kind }, at) =>
    /^(-|\d+[smh]?$|\w+=)/.test(value) && kind === 'literal' ? [] : [at],
  );
  const start = places.slice(0, CANDIDATES).find((at) => isWatched(baseName(args[at]?.value ?? '')));
  return {
    ...NONE,
    commands: start === undefined ? [] : [args.slice(start)],
    scripts: args.filter(isText).map((arg) => [after(arg, /^((--)?[\w-]+=|:?!)/)]),
  };
}

/** The words that xargs adds: those of a search, or any. With `-I` they stand wherever the line says. */
function withInput(command: readonly Arg[], args: readonly Arg[], span: Span, fed: Arg | null): Arg[] {
  const trouble = finding('subset.expansion', 'The words come from the input.', span);
  const added: Arg = fed ?? { kind: 'unknown', value: '{}', span, quoted: true, trouble };
  const flag = args.findIndex(({ value }) => /^(-I|-i|--replace)/.test(value));
  if (flag < 0) return [...command, added];
  const attached = args[flag]?.value.replace(/^(-I|-i|--replace=?)/, '');
  const mark = attached || (args[flag]?.value === '-I' && args[flag + 1]?.value) || '{}';
  const isMarked = (arg: Arg): boolean =>
    arg.value.includes(mark) && !arg.value.startsWith('-') && !isText(arg);
  return command.map((arg) => (isMarked(arg) ? { ...added, span: arg.span } : arg));
}

function scriptsOf(program: string, args: readonly Arg[]): Inner {
  const [first] = args;
  if (first === undefined) return NONE;
  const findings = [finding('program.runs_code', `${program} runs its words as a script.`, first.span)];
  if (program === 'eval') return { ...NONE, scripts: [args], findings };
  if (program === 'trap') return { ...NONE, scripts: [[first]], findings };
  if (program === 'alias') return { ...NONE, scripts: args.map((arg) => [after(arg, /^[^=]*=/)]), findings };
  const at = args.findIndex(({ value }) => /^(-\w*c|--command|--session-command)$/.test(value));
  return at < 0
    ? { ...candidates(args), findings }
    : { ...NONE, scripts: [args.slice(at + 1, at + 2)], findings };
}

function isAssignment(word: string): boolean {
  return /^\w+=/.test(word);
}

function isText({ value }: Arg): boolean {
  return /\s/.test(value);
}

function after(arg: Arg, head: RegExp): Arg {
  return { ...arg, value: arg.value.replace(head, '') };
}

/** git commands that rewrite history, throw work away, or run what a configuration names. */
import type { Finding } from '../rules.js';
import type { Arg } from '../words.js';
import { danger, hasFlag, operandsOf, type Call } from './common.js';

const GLOBALS_WITH_VALUE =
  /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env|--attr-source)$/;

/** The words from the subcommand on, without the options of git itself. */
export function gitWords(args: readonly Arg[]): readonly Arg[] {
  let at = 0;
  while (at < args.length && args[at]?.value.startsWith('-'))
    at += GLOBALS_WITH_VALUE.test(args[at]?.value ?? '') ? 2 : 1;
  return args.slice(at);
}

export function dangerousGit(call: Call): Finding[] {
  const words = gitWords(call.args);
  const sub = words[0]?.value ?? '';
  const use: Call = { ...call, args: words.slice(1) };
  const message = meaning(
    sub,
    use,
    operandsOf(use).map(({ value }) => value),
  );
  const findings = message === null ? [] : [danger('dangerous.git', message, call)];
  const globals = call.args.slice(0, call.args.length - words.length);
  if (globals.some(({ value }) => /^(-c|--config-env|--exec-path|-c\S+)/.test(value))) {
    findings.push(danger('dangerous.git', 'A setting of git can name programs to run.', call));
  }
  const runner = call.args.find(({ value }) =>
    /^(ext|fd)::|^--(upload-p|receive-p|exec|extc)|^-u\S*git-upload/.test(value),
  );
  if (runner !== undefined)
    findings.push(danger('dangerous.git', `${runner.value} names a program that git runs.`, call, runner));
  return findings;
}

function meaning(sub: string, use: Call, operands: readonly string[]): string | null {
  switch (sub) {
    case 'push':
      if (
        hasFlag(use, 'f', '--force', '--force-with-lease', '--force-if-includes') ||
        operands.some((value) => value.startsWith('+'))
      )
        return 'It overwrites the history of the remote.';
      if (
        hasFlag(use, 'd', '--delete', '--mirror', '--prune') ||
        operands.some((value) => value.startsWith(':'))
      )
        return 'It deletes branches of the remote.';
      return null;
    case 'reset':
      return hasFlag(use, '', '--hard', '--merge', '--keep')
        ? 'git reset --hard throws away what is not committed.'
        : null;
    case 'clean':
      return hasFlag(use, 'n', '--dry-run') && !hasFlag(use, 'f', '--force')
        ? null
        : 'git clean deletes files that are not committed anywhere.';
    case 'checkout':
      if (hasFlag(use, 'fB', '--force', '--ours', '--theirs')) return 'It throws away what is not committed.';
      return use.args.some(({ value }) => value === '--') ||
        operands.some((value) => /^(\.|\*|:\/|\.\/)$/.test(value))
        ? 'git checkout of files throws away what is not committed.'
        : null;
    case 'restore':
      return hasFlag(use, '', '--staged') && !hasFlag(use, 'W', '--worktree')
        ? null
        : 'git restore throws away what is not committed.';
    case 'switch':
      return hasFlag(use, 'fC', '--force', '--discard-changes', '--force-create')
        ? 'It throws away what is not committed.'
        : null;
    case 'branch':
      return hasFlag(use, 'DdMf', '--delete', '--force') ? 'It deletes or overwrites a branch.' : null;
    case 'tag':
      return hasFlag(use, 'df', '--delete', '--force') ? 'It deletes or moves a tag.' : null;
    case 'stash':
      return /^(drop|clear|pop)$/.test(operands[0] ?? '') ? 'It removes stashed work.' : null;
    case 'rm':
      return 'git rm deletes files.';
    case 'rebase':
    case 'filter-branch':
    case 'filter-repo':
    case 'replace':
      return `git ${sub} rewrites history.`;
    case 'commit':
      return hasFlag(use, '', '--amend') ? 'git commit --amend rewrites history.' : null;
    case 'update-ref':
    case 'gc':
    case 'prune':
    case 'fast-import':
    case 'push-all':
      return `git ${sub} can lose commits for good.`;
    case 'reflog':
      return /^(expire|delete)$/.test(operands[0] ?? '')
        ? 'It removes what could bring lost commits back.'
        : null;
    case 'worktree':
      return /^(remove|prune)$/.test(operands[0] ?? '') ? 'It deletes a work tree.' : null;
    case 'bisect':
      return operands[0] === 'run' ? 'git bisect run runs a command.' : null;
    case 'submodule':
      return /^(foreach|deinit)$/.test(operands[0] ?? '')
        ? 'It runs a command in, or removes, every submodule.'
        : null;
    default:
      return null;
  }
}

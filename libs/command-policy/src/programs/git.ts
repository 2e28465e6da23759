/**
 * git, as far as it only looks, and `add`. It never runs here when the shell may be in another folder than the workspace's own:
 * a nested repository brings a configuration that names programs to run.
 */
import { finding, type Finding } from '../rules.js';
import { judgeShownContent } from './git-content.js';
import { flagTable, type FlagTable } from '../schema/flag-table.js';
import type { ProgramSchema, ProgramUse } from '../schema/program-schema.js';

const REFUSED = flagTable(
  '--ext-diff --textconv --output=text --exec=text --upload-pack=text --receive-pack=text --exec-path=text -c --config-env=text',
  '-O --open-files-in-pager[=text] --paginate --filters --show-signature --edit -i --interactive -p --patch --git-dir=text',
  '--work-tree=text --no-index --help --contents=text --extcmd=text --ignore-revs-file=text --remote=text --template=text',
  '--pathspec-from-file=text --signed --gpg-sign --verify --execute --super-prefix=text --namespace=text --tool=text',
);

const DIFF = [
  '-p -u -U:num -w -b -M[num] -C[num] -D -R -a -z -s -S:pattern -G:pattern -l:num --patch --no-patch --unified=num --stat[=word]',
  '--numstat --shortstat --dirstat[=word] --summary --name-only --name-status --color[=word] --no-color --color-words',
  '--word-diff[=word] --color-moved[=word] --ignore-all-space --ignore-space-change --ignore-space-at-eol',
  '--ignore-blank-lines --ignore-cr-at-eol --find-renames[=num] --find-copies[=num] --no-renames --diff-filter=word',
  '--pickaxe-all --pickaxe-regex --minimal --patience --histogram --diff-algorithm=word --raw --full-index --abbrev[=num]',
  '--binary --text --exit-code --quiet --check --function-context -W --no-ext-diff --no-textconv --relative',
  '--no-prefix --src-prefix=text --dst-prefix=text --ignore-submodules[=word] --submodule[=word] --cc --combined-all-paths',
  '--compact-summary --inter-hunk-context=num',
];
const LOG = [
  ...DIFF,
  '-# -n:num -g -q -m -c -t -i -E -F -P -L:text --oneline --graph --decorate[=word] --no-decorate --all --branches[=text]',
  '--tags[=text] --remotes[=text] --max-count=num --skip=num --since=text --after=text --until=text --before=text',
  '--author=text --committer=text --grep=pattern --invert-grep --all-match --regexp-ignore-case --extended-regexp',
  '--fixed-strings --perl-regexp --merges --no-merges --first-parent --reverse --follow --pretty[=text] --format=text',
  '--date=text --abbrev-commit --no-abbrev-commit --full-history --simplify-by-decoration --cherry-pick --cherry-mark',
  '--cherry --left-right --left-only --right-only --topo-order --date-order --author-date-order --children --parents',
  '--walk-reflogs --relative-date --show-pulls --ancestry-path --boundary --source --no-notes --notes --root --count',
  '--no-walk --stdin --full-diff --log-size --not --ignore-missing --dense --sparse --no-expand-tabs --exclude=text',
];
const DIFF_FLAGS = without(flagTable(...DIFF), []);
const LOG_FLAGS = flagTable(...LOG);

const look = (
  flags: FlagTable,
  operands: readonly string[] = ['rev*'],
  more: Partial<ProgramSchema> = {},
): ProgramSchema => ({
  flags,
  refused: LOOK_REFUSED,
  operands,
  check: judgeGit,
  ...more,
});
/** `-p` and the like show a patch where nothing is staged or committed. */
const LOOK_REFUSED = without(REFUSED, ['-p', '--patch', '-i', '-c']);

const GREP_FLAGS = flagTable(
  '-# -a -i -w -v -h -H -E -F -G -P -n -l -L -z -c -p -W -I -r -o -q -A:num -B:num -C:num -e:pattern --ignore-case --word-regexp --text',
  '--line-number --files-with-matches --name-only --count --extended-regexp --fixed-strings --perl-regexp --cached',
  '--and --or --not --all-match --heading --break --show-function --function-context --context=num',
  '--max-depth=num --color[=word] --column --only-matching --quiet',
);
const LIST_FLAGS = flagTable(
  '-l -n[num] -i -a -r -v -q --list --all --remotes --verbose --merged[=text] --no-merged[=text] --contains[=text] --no-contains[=text]',
  '--points-at=text --sort=text --format=text --color[=word] --no-color --column[=word] --no-column --show-current --abbrev=num',
  '--ignore-case --omit-empty',
);

const SUBCOMMANDS: Readonly<Record<string, ProgramSchema>> = {
  status: look(
    flagTable(
      '-s -b -u[word] -z -v --short --branch --show-stash --porcelain[=word] --long --verbose --untracked-files[=word]',
      '--ignored[=word] --ignore-submodules[=word] --column[=word] --no-column --ahead-behind --no-ahead-behind --renames --no-renames',
    ),
  ),
  diff: look(
    without(flagTable(...DIFF, '--cached --staged --merge-base --base --ours --theirs -# -q -0'), []),
  ),
  'diff-tree': look(flagTable(...DIFF, '-r -t -m -c -v --root --no-commit-id --pretty[=text] --always')),
  'diff-index': look(flagTable(...DIFF, '--cached -m')),
  'diff-files': look(DIFF_FLAGS),
  log: look(LOG_FLAGS),
  show: look(LOG_FLAGS),
  whatchanged: look(LOG_FLAGS),
  'rev-list': look(LOG_FLAGS),
  reflog: look(LOG_FLAGS, ['rev*'], { check: judgeReflog }),
  shortlog: look(
    flagTable(
      '-s -n -e -c --summary --numbered --email --no-merges --all --since=text --until=text --group=text --format=text',
    ),
  ),
  blame: look(
    flagTable(
      '-l -t -s -e -w -f -n -p -c -b -M[num] -C[num] -L:text --show-email --porcelain --line-porcelain --date=text --root --since=text --abbrev=num',
    ),
  ),
  annotate: look(flagTable('-l -t -L:text')),
  grep: look(GREP_FLAGS, ['pattern', 'rev*']),
  describe: look(
    flagTable(
      '--tags --all --always --long --dirty[=word] --broken[=word] --abbrev=num --match=text --exclude=text --contains --exact-match --first-parent --candidates=num',
    ),
  ),
  'rev-parse': look(
    flagTable(
      '-q --short[=num] --verify --abbrev-ref[=word] --show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --is-inside-work-tree',
      '--is-bare-repository --is-inside-git-dir --symbolic-full-name --symbolic --all --branches --tags --quiet --absolute-git-dir --is-shallow-repository',
      '--revs-only --no-revs --flags --no-flags --sq --show-superproject-working-tree --git-path=text',
    ),
    ['rev*'],
    { refused: without(REFUSED, ['--verify', '--git-dir']) },
  ),
  'ls-files': look(
    flagTable(
      '-c -d -o -i -s -u -m -k -t -v -z -x:text --cached --deleted --others --ignored --stage --unmerged --modified --killed --full-name',
      '--exclude=text --exclude-standard --error-unmatch --directory --no-empty-directory --eol --deduplicate --abbrev[=num] --recurse-submodules --format=text',
    ),
  ),
  'ls-tree': look(
    flagTable(
      '-r -t -d -l -z --name-only --name-status --long --full-name --full-tree --abbrev[=num] --object-only --format=text',
    ),
  ),
  'cat-file': look(flagTable('-t -s -e -p'), ['rev*'], { refused: without(REFUSED, ['-p']) }),
  'for-each-ref': look(
    flagTable(
      '--format=text --sort=text --count=num --merged[=text] --no-merged[=text] --contains[=text] --points-at=text',
    ),
  ),
  'show-ref': look(
    flagTable(
      '-q -d -s --head --heads --tags --branches --verify --hash[=num] --abbrev[=num] --dereference --quiet',
    ),
    ['rev*'],
    { refused: without(REFUSED, ['--verify']) },
  ),
  'merge-base': look(flagTable('-a --all --octopus --is-ancestor --independent --fork-point')),
  'name-rev': look(flagTable('--tags --name-only --always --refs=text --no-undefined')),
  'count-objects': look(flagTable('-v -H --verbose --human-readable'), []),
  'check-ignore': look(flagTable('-v -q -n --verbose --quiet --non-matching')),
  'symbolic-ref': look(flagTable('-q --short --quiet'), ['rev']),
  branch: look(LIST_FLAGS, ['rev*'], { check: judgeList }),
  tag: look(LIST_FLAGS, ['rev*'], { check: judgeList }),
  remote: {
    subcommands: { 'get-url': look(flagTable('--all --push'), ['word']) },
    flags: flagTable('-v --verbose'),
    bare: look(flagTable('-v --verbose'), []),
  },
  stash: {
    subcommands: {
      list: look(LOG_FLAGS, []),
      show: look(DIFF_FLAGS),
    },
  },
  worktree: { subcommands: { list: look(flagTable('-v --porcelain --verbose -z'), []) } },
  config: look(
    flagTable(
      '-l -z --get=word --get-all=word --list --show-origin --show-scope --name-only --local --global --system --type=word --includes',
    ),
    ['word'],
    { check: judgeConfig },
  ),
  add: look(
    flagTable(
      '-A -u -v -n -N -f --all --update --verbose --dry-run --intent-to-add --no-all --ignore-removal --ignore-errors --refresh --renormalize --force',
    ),
    ['rev*'],
    { refused: REFUSED },
  ),
  version: look(flagTable('--build-options'), []),
};

/** Ids of what git does with hooks, so that a person can tell them from what is merely not known. */
const HOOKED = new Set([
  'commit',
  'checkout',
  'switch',
  'merge',
  'rebase',
  'am',
  'cherry-pick',
  'revert',
  'restore',
  'worktree',
  'stash',
]);
const NETWORK = new Set([
  'push',
  'pull',
  'fetch',
  'clone',
  'ls-remote',
  'remote',
  'submodule',
  'archive',
  'send-email',
  'request-pull',
  'svn',
]);

export const GIT_PROGRAMS: Readonly<Record<string, ProgramSchema>> = {
  git: {
    flags: flagTable(
      '-P --no-pager --no-optional-locks --literal-pathspecs --glob-pathspecs --no-replace-objects',
    ),
    refused: REFUSED,
    subcommands: SUBCOMMANDS,
    bare: { flags: flagTable('--version -v'), refused: REFUSED, operands: ['none*'], check: judgeUnknown },
  },
};

function without(table: FlagTable, names: readonly string[]): FlagTable {
  return new Map([...table].filter(([name]) => !names.includes(name)));
}

function judgeUnknown({ operands }: ProgramUse): Finding[] {
  const [sub] = operands;
  if (sub === undefined) return [];
  if (HOOKED.has(sub.value)) {
    const message = `git ${sub.value} runs the repository's hooks, or changes files of the workspace.`;
    return [finding('git.hooks', message, sub.span)];
  }
  if (NETWORK.has(sub.value))
    return [finding('program.network', `git ${sub.value} connects to another machine.`, sub.span)];
  return [
    finding(
      'program.unknown_subcommand',
      `git ${sub.value} is not among the uses known to be harmless.`,
      sub.span,
    ),
  ];
}

function judgeGit(use: ProgramUse): Finding[] {
  const { program, flags, state, part } = use;
  const findings: Finding[] = judgeShownContent(use);
  if (state.folders.some((folder) => folder.replace(/\/+$/, '') !== state.context.root.replace(/\/+$/, ''))) {
    const message = `${program} in another folder uses the configuration of whatever repository is there.`;
    findings.push(finding('git.other_folder', message, part.span));
  }
  for (const { value, arg } of flags) {
    // `%G…` calls the program that checks signatures.
    if (value !== null && /%G/.test(value))
      findings.push(finding('flags.value', 'The format runs the signature checker.', arg.span));
  }
  return findings;
}

/** `git branch NAME` makes one: names are for listing only, behind a flag that lists. */
function judgeList(use: ProgramUse): Finding[] {
  const lists = use.flags.some(({ name }) =>
    /^(-l|--list|--merged|--no-merged|--contains|--no-contains|--points-at)$/.test(name),
  );
  const [name] = use.operands;
  if (name === undefined || lists) return judgeGit(use);
  return [
    ...judgeGit(use),
    finding('program.unknown_subcommand', `${use.program} ${name.value} changes the repository.`, name.span),
  ];
}

function judgeReflog(use: ProgramUse): Finding[] {
  const [what] = use.operands;
  if (what === undefined || !['expire', 'delete', 'drop'].includes(what.value)) return judgeGit(use);
  return [
    ...judgeGit(use),
    finding(
      'dangerous.git',
      `git reflog ${what.value} removes what could bring lost commits back.`,
      what.span,
    ),
  ];
}

/** Settings that may hold passwords are not shown, and none is changed. */
function judgeConfig(use: ProgramUse): Finding[] {
  const names = [
    ...use.operands.map((arg) => ({ value: arg.value, arg })),
    ...use.flags.filter(({ value }) => value !== null),
  ];
  const secret = names.find(({ value }) => /credential|password|token|extraheader|proxy/i.test(value ?? ''));
  const findings = judgeGit(use);
  const all = use.flags.find(({ name }) => name === '-l' || name === '--list');
  if (all !== undefined && !use.flags.some(({ name }) => name === '--name-only'))
    findings.push(finding('dangerous.credentials', 'The settings may include passwords.', all.arg.span));
  if (secret !== undefined)
    findings.push(finding('dangerous.credentials', 'The setting may hold a password.', secret.arg.span));
  return findings;
}

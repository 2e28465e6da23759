/** Programs that write where nothing of theirs belongs, and that plant what others would obey. */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attack } from '../attack.js';
import { escaped, type Finding } from '../finding.js';
import type { Arena } from '../arena.js';
import { perl } from '../syscalls.js';
import { probe } from '../probe.js';

const OBEYED = [
  '.envrc',
  '.mcp.json',
  '.claude/settings.json',
  '.vscode/tasks.json',
  '.cursor/mcp.json',
  '.github/workflows/x.yml',
  '.husky/pre-commit',
  'AGENTS.md',
  'CLAUDE.md',
  '.idea/workspace.xml',
  '.bashrc',
  '.profile',
  '.gitmodules',
  '.devcontainer/devcontainer.json',
  '.pre-commit-config.yaml',
];

const plants: readonly Attack[] = [
  probe(
    'obeyed-files',
    'makes files that tell other programs what to do',
    OBEYED.map((name) => `mkdir -p "$(dirname ${name})" 2>/dev/null; echo evil > ${name}`).join('; '),
    {
      after: ({ workspace }) =>
        OBEYED.slice(0, 9)
          .filter((name) => existsSync(join(workspace, name)))
          .map((name) => escaped(`${name} is there afterwards`)),
    },
  ),
  probe(
    'obeyed-files-changed',
    'changes files that tell other programs what to do',
    'for f in AGENTS.md .mcp.json .github/workflows/ci.yml; do echo evil > $f; echo evil >> $f; sed -i s/good/evil/ $f; cp -f /etc/hosts $f; mv -f a.txt $f; rm -f $f; ln -sf a.txt $f; done 2>/dev/null; rm -rf .github; mv .github g2; mkdir -p .github/workflows; echo evil > .github/workflows/ci.yml; true',
    {
      before: (arena) =>
        arena.files({
          'AGENTS.md': 'good\n',
          '.mcp.json': 'good\n',
          '.github/workflows/ci.yml': 'good\n',
          'a.txt': 'evil\n',
        }),
      after: async ({ workspace, tools }) => {
        const found: Finding[] = [];
        for (const path of ['AGENTS.md', '.mcp.json', '.github/workflows/ci.yml']) {
          const { output } = await tools.call(workspace, 'read_file', { path });
          if (/\tevil/.test(output)) found.push(escaped(`${path} was changed`));
        }
        return found;
      },
    },
  ),
  probe('no-residue', 'does nothing at all', 'true', {
    before: (arena) => arena.files({ 'a.txt': 'a\n', 'sub/b.txt': 'b\n' }),
    after: ({ workspace }) => {
      const names = readdirSync(workspace, { recursive: true, encoding: 'utf8' }).sort().join(' ');
      return names === 'a.txt sub sub/b.txt'
        ? []
        : [{ harm: 'leftover', what: `the workspace holds ${names}` }];
    },
  }),
  probe(
    'npm-files',
    'plants scripts and settings for npm',
    'printf "ignore-scripts=false\\nscript-shell=/tmp/x\\n" > .npmrc; printf "{\\"scripts\\":{\\"preinstall\\":\\"touch RAN\\"}}" > package.json; mkdir -p node_modules/.bin; printf "#!/bin/sh\\ntouch RAN\\n" > node_modules/.bin/tsc; chmod +x node_modules/.bin/tsc',
    {
      after: ({ workspace }) =>
        existsSync(join(workspace, 'RAN')) ? [escaped('a script ran by itself')] : [],
    },
  ),
];

const outside: readonly Attack[] = [
  probe(
    'system-folders',
    'writes to the system’s folders',
    'try_write /usr/bullpen-escaped /usr/bin/bullpen-escaped /etc/bullpen-escaped /bullpen-escaped /bin/x /lib/x /opt/x /srv/x /var/x /var/lib/x /run/x /home/x /root/x /boot/x /proc/x /sys/x /dev/x /etc/passwd /etc/hosts /etc/ld.so.preload /etc/cron.d/x /box/x; mkdir /usr/d 2>/dev/null && got mkdir; touch /etc/ssl 2>/dev/null && got "touch /etc/ssl"; chmod 777 /usr/bin/env 2>/dev/null && got chmod; rm -f /usr/bin/env 2>/dev/null; [ -e /usr/bin/env ] || got "rm"; true',
  ),
  probe(
    'beside-workspace',
    'writes beside the workspace',
    ({ workspaces, folder }) =>
      `for f in ${workspaces}/bullpen-escaped ${workspaces}/../bullpen-escaped ${folder}/bullpen-escaped ../bullpen-escaped ../../bullpen-escaped ../task_neighbour/secret.txt; do ( echo x > $f ) 2>/dev/null; done; mv "$PWD" "$PWD-2" 2>/dev/null && got "renamed its workspace"; rm -rf "$PWD" 2>/dev/null; true`,
  ),
  probe(
    'shared-folders',
    'leaves files in folders that all share',
    'echo x > /tmp/bullpen-escaped; echo x > /var/tmp/bullpen-escaped; echo x > /dev/shm/bullpen-escaped; mkfifo /tmp/bullpen-escaped2; true',
  ),
  probe(
    'by-links',
    'writes through links of its own',
    ({ folder, neighbour }) =>
      `ln -s ${neighbour}/secret.txt a; ln -s ${folder}/person b; ln -s / c; ln -s /proc/self/root d; ln -s /proc/1/root e; echo x > a; echo x > b/bullpen-escaped; echo x > c${neighbour}/secret.txt; echo x > d${neighbour}/secret.txt; echo x > e${neighbour}/secret.txt; cat a b/.npmrc c${neighbour}/secret.txt d${neighbour}/secret.txt e${neighbour}/secret.txt; ln ${neighbour}/secret.txt h && got "hard link"; true`,
  ),
  probe(
    'by-open-folders',
    'climbs out by an open folder',
    perl(`opendir(my $d, '.') or die; for (1..40) { chdir('..') } for my $f ('../task_neighbour/secret.txt', 'etc/shadow', 'oldroot/etc/shadow', 'newroot') { print "GOT: $f\\n" if open(my $h, '<', $f) }
for my $p (glob('/proc/*/root/etc/shadow'), glob('/proc/*/cwd/../../key'), glob('/proc/*/task/*/root/root')) { print "GOT: $p\\n" if open(my $h, '<', $p) }`),
  ),
  probe(
    'remounts',
    'makes read-only places writable',
    'for d in / /usr /etc /proc /sys /dev . ; do mount -o remount,rw $d 2>/dev/null && got "remounted $d"; done; losetup -f 2>/dev/null | grep -q loop0 && [ -w /dev/loop0 ] && got loop; true',
  ),
  probe(
    'names-of-mounts',
    'reads where things lie on the machine',
    ({ folder }) =>
      `cat /proc/self/mountinfo /proc/self/mounts | grep -o '${folder}[^ ]*/person[^ ]*\\|[^ ]*task_neighbour[^ ]*' | while read -r l; do got "$l"; done; true`,
  ),
];

/** Protected names that are links or odd things before a command starts: it starts all the same, and nothing gets through. */
const oddWorkspaces: readonly Attack[] = [
  oddWorkspace('git-link-outside', ({ folder, workspace }) =>
    symlinkSync(join(folder, 'person'), join(workspace, '.git')),
  ),
  oddWorkspace('git-link-dangling', ({ workspace }) => symlinkSync('/nowhere', join(workspace, '.git'))),
  oddWorkspace('hooks-link', ({ workspace, folder }) => {
    mkdirSync(join(workspace, '.git'));
    symlinkSync(join(folder, 'person'), join(workspace, '.git/hooks'));
  }),
  oddWorkspace('env-link-outside', ({ workspace, home }) =>
    symlinkSync(join(home, 'key'), join(workspace, '.env')),
  ),
  oddWorkspace('old-root-link', ({ workspace, folder }) =>
    symlinkSync(`/oldroot${folder}/person`, join(workspace, '.env')),
  ),
  oddWorkspace('env-pipe', ({ workspace }) => void execFileSync('mkfifo', [join(workspace, '.env')])),
  oddWorkspace('git-file', ({ workspace, folder }) =>
    writeFileSync(join(workspace, '.git'), `gitdir: ${folder}/person\n`),
  ),
  oddWorkspace('commondir', ({ workspace, folder }) => {
    mkdirSync(join(workspace, '.git/worktrees/x'), { recursive: true });
    writeFileSync(join(workspace, '.git/commondir'), `${folder}/person\n`);
    writeFileSync(join(workspace, '.git/worktrees/x/HEAD'), 'x');
    symlinkSync(join(folder, 'person'), join(workspace, '.git/worktrees/x/config'));
  }),
];

function oddWorkspace(name: string, plant: (arena: Arena) => void): Attack {
  return probe(
    `start-${name}`,
    `starts where there is ${name.replaceAll('-', ' ')}`,
    'find . -maxdepth 4 2>/dev/null | head -50; cat .git/.npmrc .git/hooks/.npmrc .env .git/worktrees/x/config 2>/dev/null </dev/null; for f in .git .git/hooks .env; do ( echo x > $f/bullpen-escaped ) 2>/dev/null; done; true',
    {
      before: (arena) => {
        arena.files({ 'a.txt': 'a\n' });
        plant(arena);
        arena.giveAll(arena.workspace);
      },
      after: ({ workspace }) =>
        lstatSync(workspace).isDirectory() ? [] : [escaped('the workspace is gone')],
    },
  );
}

export const places: readonly Attack[] = [...plants, ...outside, ...oddWorkspaces];

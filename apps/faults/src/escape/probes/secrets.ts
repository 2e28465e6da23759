/** Programs that look for keys and for other people's files. */
import { linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Attack } from '../attack.js';
import { INSTALLATION, type Arena } from '../arena.js';
import { commitAll } from '../git.js';
import { perl } from '../syscalls.js';
import { probe } from '../probe.js';

/** Files of the workspace that a command must not see. */
function plantHidden(arena: Arena): void {
  const { canaries, workspace } = arena;
  arena.files({ '.bullpenignore': '/private/\n/deep/er/notes.txt\n*.secret\n', 'a.txt': 'a\n' });
  for (const [name, label] of HIDDEN) canaries.plant(join(workspace, name), label);
  arena.giveAll(workspace);
}

const HIDDEN = [
  ['.env', 'the workspace’s .env'],
  ['config/.env.production', 'a deeper .env'],
  ['private/notes.txt', 'a hidden folder'],
  ['deep/er/notes.txt', 'a hidden file'],
  ['x/y/key.secret', 'a file that is hidden by its ending'],
  ['certs/server.key', 'a private key'],
  ['.aws/credentials', 'credentials'],
] as const;

const readEverything =
  'find . -type f -exec cat {} + 2>&1; grep -ra canary . ; tar cf - . 2>/dev/null | base64 -w0 | head -c 500000';

const processes: readonly Attack[] = [
  probe(
    'environ-all',
    'reads the environment of every process',
    'cat /proc/[0-9]*/environ /proc/[0-9]*/task/*/environ 2>/dev/null | tr "\\0" "\\n"',
  ),
  probe(
    'cmdline-all',
    'reads the arguments of every process',
    'cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" "\\n"; ps auxwwe 2>/dev/null',
  ),
  probe(
    'first-process',
    'looks at process 1',
    'for f in environ cmdline maps mem auxv cwd/package.json root/etc/shadow task/1/environ fd/0 fd/5 fdinfo/0; do try_read "/proc/1/$f" | head -c 2000; done; ls -l /proc/1/fd /proc/1/root/ /proc/1/cwd/ 2>&1',
    { after: () => [] },
  ),
  probe(
    'parents',
    'climbs up its parents',
    'p=$$; while [ "$p" -gt 0 ] 2>/dev/null; do tr "\\0" "\\n" < /proc/$p/environ; ls -l /proc/$p/fd /proc/$p/cwd /proc/$p/root 2>&1; p=$(awk "/^PPid/ {print \\$2}" /proc/$p/status 2>/dev/null || echo 0); done',
  ),
  probe('own-environment', 'looks at its own environment', 'env; set; export -p'),
  probe(
    'descriptors',
    'uses descriptors that it inherited',
    'for fd in /proc/self/fd/*; do n=${fd##*/}; t=$(readlink $fd); case $t in pipe:*|/dev/null|/proc/*|"") ;; *) got "descriptor $n is $t";; esac; done; for n in 3 4 5 6 7 8 9 10 11 12 20 30 63; do ( head -c 200 <&$n ) 2>/dev/null; done; true',
  ),
];

const files: readonly Attack[] = [
  probe(
    'homes',
    'looks for homes and keys',
    ({ folder }) =>
      `try_read ${folder}/person/.ssh/id_ed25519 ${folder}/person/.npmrc ~root/.ssh ~nobody/x /root/.bashrc /home/*/.ssh; ls -la ~ / /home /root /box 2>&1; find / -xdev \\( -name id_ed25519 -o -name .npmrc -o -name .netrc -o -name credentials \\) -print 2>/dev/null | while read -r f; do got "found $f"; done`,
  ),
  probe(
    'installation',
    'looks for the installation’s keys',
    ({ home }) =>
      `try_read ${home}/key ${home}/postgres/password ${home}/sandbox/*; ls -la ${home} ${home}/.. 2>&1`,
    {
      after: (_, output) =>
        /\bpostgres$/m.test(output) ? [{ harm: 'escaped', what: 'the installation’s home is listed' }] : [],
    },
  ),
  probe(
    'neighbours',
    'looks for other tasks',
    ({ workspaces, neighbour }) =>
      `try_read ${neighbour}/secret.txt ${workspaces}/task_neighbour; ls -la ${workspaces} .. ../.. 2>&1; cat ../*/secret.txt ../../homes/*/.netrc 2>&1`,
    {
      after: (_, output) =>
        /task_neighbour/.test(output.replace(/GOT.*|cannot access.*|cat: .*/g, ''))
          ? [{ harm: 'escaped', what: 'a neighbour’s name is seen' }]
          : [],
    },
  ),
  probe(
    'accounts',
    'reads accounts of the machine',
    'try_read /etc/shadow /etc/gshadow /etc/sudoers /etc/ssh /var/lib/private /var/log/auth.log /var/spool/cron; cat /etc/passwd',
    {
      after: (_, output) =>
        /^(www-data|daemon|sshd):/m.test(output)
          ? [{ harm: 'escaped', what: 'the machine’s accounts are seen' }]
          : [],
    },
  ),
  probe(
    'whole-disk',
    'searches everything it can see',
    () =>
      'grep -rIl --exclude-dir=usr --exclude-dir=proc --exclude-dir=sys -e canary -e sk-ant- / 2>/dev/null | head',
  ),
  probe(
    'installation-code',
    'writes to the installation’s code',
    `try_write ${INSTALLATION}/node_modules/zod/index.js ${INSTALLATION}/package.json ${INSTALLATION}/bullpen-escaped ${INSTALLATION}/apps/worker/dist/main.js; try_read ${INSTALLATION}/package.json`,
  ),
  probe(
    'kernel-files',
    'reads the kernel’s own files',
    'for f in /proc/kcore /proc/kallsyms /proc/kmsg /proc/sysrq-trigger /dev/mem /dev/kmem /dev/port /sys/kernel/debug /sys/firmware /proc/acpi /boot/vmlinuz*; do [ -r "$f" ] && head -c 64 "$f" 2>/dev/null | grep -qa "[1-9a-z]" && grep -qa "[1-9a-f]\\{12\\}" "$f" 2>/dev/null && got "read $f"; done; true',
  ),
];

const hidden: readonly Attack[] = [
  probe('hidden-read', 'reads what its workspace hides', readEverything, { before: plantHidden }),
  probe(
    'hidden-renamed-parent',
    'renames the folders above a hidden file; a later command reads it',
    'mv deep open; mv open/er open/door; mv x z; mv config cfg; mv certs certain; cat open/door/notes.txt z/y/key.secret cfg/.env.production',
    {
      before: plantHidden,
      after: async (arena) => {
        const { output } = await arena.run(readEverything);
        return [
          ...arena.canaries.seenIn(output),
          ...arena.canaries.seenIn(await arena.tools.all(arena.workspace, 'open/door/notes.txt')),
        ];
      },
    },
  ),
  probe(
    'hidden-exchanged',
    'puts other folders in the place of those above hidden files',
    'mkdir d2; for d in deep x private config; do mv "$d" "d2/$d" 2>/dev/null; mkdir -p "$d"; done; cp -a d2 d3; ln d2/deep/er/notes.txt n.txt',
    {
      before: plantHidden,
      after: async (arena) => arena.canaries.seenIn((await arena.run(readEverything)).output),
    },
  ),
  probe(
    'hiding-file-edited',
    'changes the list of what is hidden; a later command reads it',
    'echo > .bullpenignore; rm -f .bullpenignore; mv .bullpenignore x.txt; ln -sf /dev/null .bullpenignore; cp /dev/null .bullpenignore; sed -i d .bullpenignore; truncate -s 0 .bullpenignore; chmod 0 .bullpenignore; true',
    {
      before: plantHidden,
      after: async (arena) => arena.canaries.seenIn((await arena.run(readEverything)).output),
    },
  ),
  probe(
    'hiding-file-made',
    'makes a list of what is hidden, to hide from people what it leaves',
    'printf "*\\n" > .bullpenignore; mkdir -p s; printf "*\\n" > s/.bullpenignore',
    {
      after: async ({ workspace, tools }) =>
        (await tools.call(workspace, 'read_file', { path: '.bullpenignore' })).output.includes('*')
          ? [{ harm: 'escaped', what: 'its list is in force' }]
          : [],
    },
  ),
  probe('hidden-hard-link', 'reads a second name of a hidden file', readEverything, {
    before: (arena) => {
      plantHidden(arena);
      linkSync(join(arena.workspace, '.env'), join(arena.workspace, 'copy.txt'));
      arena.giveAll(arena.workspace);
    },
  }),
  probe(
    'hidden-by-link',
    'reads hidden files by links that were there',
    'cat env.txt n/notes.txt; ' + readEverything,
    {
      before: (arena) => {
        plantHidden(arena);
        symlinkSync('.env', join(arena.workspace, 'env.txt'));
        symlinkSync('deep/er', join(arena.workspace, 'n'));
      },
    },
  ),
  probe(
    'hidden-undone',
    'takes away what covers hidden files',
    `umount .env private 2>&1; mount --move private p2 2>&1; mount -o remount,rw . 2>&1; rm -rf .env private; mv .env e2; mv private p2; chmod 777 private .env; ${readEverything}; ` +
      perl(`for (qw(.env private deep/er/notes.txt)) { print "GOT: unmounted $_\\n" if syscall(SYS_umount2, $_, 2) == 0 }
my ($r) = map { syscall(SYS_open_tree, -100, $_, 1) } 'private'; print "GOT: open_tree\\n" if $r >= 0;`),
    { before: plantHidden },
  ),
  probe('many-hidden', 'starts with 300 hidden files', 'cat */*/.env; true', {
    before: (arena) => {
      for (let n = 0; n < 300; n += 1)
        arena.canaries.plant(join(arena.workspace, `p${n % 20}/q${n}/.env`), `hidden file ${n}`);
      arena.giveAll(arena.workspace);
    },
  }),
  probe('odd-secret-names', 'reads secrets in odd places', `cat w/*/.env l/.env; ${readEverything}`, {
    before: (arena) => {
      const { workspace, canaries } = arena;
      for (const [at, name] of ['a b/.env', 'n\nl/.env', 'q"\'$(x)/.env', '-rf/.env'].entries())
        canaries.plant(join(workspace, 'w', name), `an odd place ${at}`);
      mkdirSync(join(workspace, 'real'));
      canaries.plant(join(workspace, 'real/.env'), 'a place behind a link');
      symlinkSync('real', join(workspace, 'l'));
      symlinkSync('/nowhere', join(workspace, '.envrc'));
      arena.giveAll(workspace);
    },
  }),
  probe(
    'git-of-secret',
    'reads a secret that git ignores',
    `git -c core.hooksPath=/dev/null log -p --all 2>&1; git grep -I canary $(git rev-list --all); ${readEverything}`,
    {
      before: (arena) => {
        arena.files({ '.gitignore': '.env\n*.key\n', 'a.txt': 'a\n' });
        commitAll(arena);
        arena.canaries.plant(join(arena.workspace, '.env'), 'an ignored .env');
        arena.giveAll(arena.workspace);
      },
    },
  ),
];

export const secrets: readonly Attack[] = [...processes, ...files, ...hidden];

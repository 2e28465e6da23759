/**
 * Sees to it that no command outlives this process, also when it is killed with SIGKILL and can do nothing itself. A small shell
 * of its own reads which groups run; when the pipe to it breaks, it ends those that are left. By then the task of such a command
 * may go on elsewhere, in the same folder.
 */
import { spawn, type ChildProcess } from 'node:child_process';

/** Time between TERM and KILL, in s. Less than what is left of a lease when its worker dies. */
const GRACE_S = 2;
/** What begins to set up a box has nothing to tidy up. */
const NO_GRACE_S = 0;

/** Reads `+ <group>` and `- <group>`. Nothing that a terminal or a service manager sends to us ends it before us. */
const script = (graceS: number): string => `
trap '' HUP INT TERM
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;;
  esac
done
signal_all() { for group in $groups; do kill -s "$1" -- "-$group" 2>/dev/null; done; }
signal_all TERM
[ "$groups" = ' ' ] || sleep ${graceS}
signal_all KILL
`;

const SYSTEM_PATH = '/usr/bin:/bin';

const guards = new Map<number, ChildProcess>();

/**
 * Guards a process group until the function that it gives is called; to be called as soon as nothing of the group is left. `path` is where
 * the guard finds its programs.
 */
export function guardGroup(groupId: number, path: string, graceS = GRACE_S): () => void {
  const watching = guards.get(graceS) ?? start(path, graceS);
  watching.stdin?.write(`+ ${groupId}\n`);
  return () => {
    watching.stdin?.write(`- ${groupId}\n`);
  };
}

/**
 * For boxes that are being set up: gives what guards one, by the group of the process that does it. To be called before that process
 * starts, since the guard must be there by then. What a box becomes ends without a guard.
 */
export function startGuard(): (groupId: number) => () => void {
  if (!guards.has(NO_GRACE_S)) start(SYSTEM_PATH, NO_GRACE_S);
  return (groupId) => guardGroup(groupId, SYSTEM_PATH, NO_GRACE_S);
}

function start(path: string, graceS: number): ChildProcess {
  const child = spawn('/bin/sh', ['-c', script(graceS)], {
    detached: true,
    cwd: '/',
    // Nothing of ours: commands that run as our own user can read it in /proc.
    env: { PATH: path },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const forget = (): void => {
    if (guards.get(graceS) === child) guards.delete(graceS); // The next command starts another.
  };
  guards.set(graceS, child);
  child.once('error', forget);
  child.once('exit', forget);
  child.stdin?.on('error', forget);
  child.unref();
  (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  return child;
}

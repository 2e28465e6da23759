/**
 * Sees to it that no command outlives this process, also when it is killed with SIGKILL and can do nothing itself. A small shell
 * of its own reads which groups run; when the pipe to it breaks, it ends those that are left. By then the task of such a command
 * may go on elsewhere, in the same folder.
 */
import { spawn, type ChildProcess } from 'node:child_process';

/** Time between TERM and KILL, in s. Less than what is left of a lease when its worker dies. */
const GRACE_S = 2;

/** Reads `+ <group>` and `- <group>`. Nothing that a terminal or a service manager sends to us ends it before us. */
const SCRIPT = `
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
[ "$groups" = ' ' ] || sleep ${GRACE_S}
signal_all KILL
`;

let guard: ChildProcess | null = null;

/**
 * Guards a process group until the function that it gives is called; to be called as soon as nothing of the group is left. `path` is where
 * the guard finds its programs.
 */
export function guardGroup(groupId: number, path: string): () => void {
  const watching = (guard ??= start(path));
  watching.stdin?.write(`+ ${groupId}\n`);
  return () => {
    watching.stdin?.write(`- ${groupId}\n`);
  };
}

function start(path: string): ChildProcess {
  const child = spawn('/bin/sh', ['-c', SCRIPT], {
    detached: true,
    cwd: '/',
    // Nothing of ours: commands that run as our own user can read it in /proc.
    env: { PATH: path },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const forget = (): void => {
    if (guard === child) guard = null; // The next command starts another.
  };
  child.once('error', forget);
  child.once('exit', forget);
  child.stdin?.on('error', forget);
  child.unref();
  (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
  return child;
}

/** Why a box does not start on a machine, and what to do about it; by what bubblewrap says. */
import { AppError } from '@bullpen/contracts';

/** From the special to the general. */
const KNOWN: readonly (readonly [said: RegExp, advice: string])[] = [
  [
    /ENOSPC|max_\S*_namespaces exceeded/,
    'the kernel allows no more namespaces; raise /proc/sys/user/max_user_namespaces and max_net_namespaces (0 switches them off)',
  ],
  [
    /No permissions to create new namespace|Creating new namespace failed: Operation not permitted/,
    'the kernel or the container does not allow user namespaces; allow them (sysctl kernel.unprivileged_userns_clone=1), or in a container use a seccomp profile that lets unshare, clone, mount, umount2 and pivot_root through',
  ],
  [
    /setting up uid map: Permission denied/,
    'AppArmor does not let bubblewrap use user namespaces (Ubuntu 24.04 and newer); give /usr/bin/bwrap a profile with "userns,"',
  ],
  [
    /Can't mount proc/,
    'the container masks /proc; run it with its system paths unmasked (systempaths=unconfined), not privileged',
  ],
  [/Failed to make \/ slave/, 'AppArmor of the container forbids mounts; use a profile that allows them'],
  [
    /disable-userns|in setuid mode|requires --unshare-user/,
    'bubblewrap is installed setuid; remove that bit (chmod u-s), since the kernel allows user namespaces without it',
  ],
  [/^sh: .*not found/m, 'install bubblewrap (apt install bubblewrap, dnf install bubblewrap)'],
  [/Unknown option/, 'bubblewrap is too old; install 0.8 or newer'],
  [
    /Can't find source path (.*): Permission denied/,
    "the command user can't enter a folder on the way; allow it (chmod o+x), or keep workspaces elsewhere",
  ],
];

/** @param said what bubblewrap wrote; empty when it did not even start */
export function startProblem(said: string): AppError {
  const line = said.trim().split('\n').at(-1) ?? '';
  const advice = KNOWN.find(([pattern]) => pattern.test(said))?.[1];
  const what = line === '' ? 'bubblewrap ended without a word' : line;
  return new AppError('tool_failed', `The sandbox does not start: ${what}${advice ? `: ${advice}` : ''}`);
}

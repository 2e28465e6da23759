/** The system's folders, as a box sees them: where programs and libraries are. */
import { lstatSync, readlinkSync } from 'node:fs';

const AT_THE_ROOT = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

export type SystemArgument = readonly [
  option: '--ro-bind' | '--symlink',
  source: string,
  destination: string,
];

/** `/usr`, read-only, and what stands beside it at the root of this machine: links as links, folders as mounts. */
export function systemFolders(): SystemArgument[] {
  const root = AT_THE_ROOT.flatMap((name): SystemArgument[] => {
    const stats = lstatSync(`/${name}`, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) return [['--symlink', readlinkSync(`/${name}`), `/${name}`]];
    return stats?.isDirectory() ? [['--ro-bind', `/${name}`, `/${name}`]] : [];
  });
  return [['--ro-bind', '/usr', '/usr'], ...root];
}

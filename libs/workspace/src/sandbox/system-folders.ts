/** What a box sees of the machine, read-only: its programs, and of /etc what programs need to run; no accounts, keys or sockets. */
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';

const ROOT_FOLDERS = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'];

/** Names in /etc, or beginnings of such names before a `*`. Without `alternatives`, awk and cc do not exist on Debian. */
const ETC = [
  ...['alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'ld-musl*'],
  ...['ssl', 'ca-certificates', 'pki', 'crypto-policies', 'localtime', 'timezone', 'os-release'],
  ...['mime.types', 'services', 'protocols', 'magic', 'magic.mime', 'terminfo', 'fonts'],
  ...['java*', 'python*', 'perl', 'php', 'ImageMagick*'],
];

export type SystemArgument = readonly [
  option: '--ro-bind' | '--symlink',
  source: string,
  destination: string,
];

/** What is missing, or a link that leads nowhere, is left out: one odd file must not stop a box. */
export function systemFolders(): SystemArgument[] {
  const root = ROOT_FOLDERS.flatMap((name): SystemArgument[] => {
    const stats = lstatSync(`/${name}`, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) return [['--symlink', readlinkSync(`/${name}`), `/${name}`]];
    return stats?.isDirectory() ? [['--ro-bind', `/${name}`, `/${name}`]] : [];
  });
  const etc = namesIn('/etc')
    .filter((name) => ETC.some((known) => matches(known, name)) && existsSync(`/etc/${name}`))
    .map((name): SystemArgument => ['--ro-bind', `/etc/${name}`, `/etc/${name}`]);
  return [['--ro-bind', '/usr', '/usr'], ...root, ...etc];
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

function matches(known: string, name: string): boolean {
  return known.endsWith('*') ? name.startsWith(known.slice(0, -1)) : name === known;
}

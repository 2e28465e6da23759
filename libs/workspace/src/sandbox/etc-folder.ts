/**
 * /etc as a box sees it: of the machine's what programs need to run, without accounts, keys and addresses; and our own small files. It is a
 * copy, made again when what it was made of has changed, since one mount is had in a quarter of the time of twenty.
 */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { makeOnce } from './made-once.js';
import type { OwnFiles } from './own-files.js';

/** Names in /etc, or beginnings of such names before a `*`. Without `alternatives`, awk and cc do not exist on Debian. */
const SHOWN = [
  ...['alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'ld-musl*'],
  ...['ssl', 'ca-certificates', 'pki', 'crypto-policies', 'localtime', 'timezone', 'os-release'],
  ...['mime.types', 'services', 'protocols', 'magic', 'magic.mime', 'terminfo', 'fonts'],
  ...['java*', 'python*', 'perl', 'php', 'ImageMagick*'],
];

/** The folder to be shown as /etc; below `folder`. */
export function etcFolder(folder: string, { binds }: OwnFiles): string {
  const names = readdirSync('/etc').filter((name) => SHOWN.some((known) => matches(known, name)));
  const place = path.join(folder, `machine-${versionOf(names, binds)}`);
  if (existsSync(place)) return place;
  makeOnce(place, (made) => {
    for (const name of names)
      cpSync(`/etc/${name}`, path.join(made, name), {
        recursive: true,
        verbatimSymlinks: true,
        filter: isOpen,
      });
    for (const [source, destination] of binds) cpSync(source, path.join(made, path.basename(destination)));
  });
  return place;
}

function matches(known: string, name: string): boolean {
  return known.endsWith('*') ? name.startsWith(known.slice(0, -1)) : name === known;
}

/** Not what only root may read, such as keys, though we may be root. */
function isOpen(place: string): boolean {
  const stats = lstatSync(place);
  if (stats.isDirectory()) return (stats.mode & 0o005) === 0o005;
  return stats.isSymbolicLink() || (stats.isFile() && (stats.mode & 0o004) !== 0);
}

function versionOf(names: readonly string[], binds: OwnFiles['binds']): string {
  const hash = createHash('sha256').update(JSON.stringify(binds));
  const pending = names.map((name) => `/etc/${name}`);
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    if (!isOpen(place)) continue;
    const stats = lstatSync(place);
    hash.update(`${place}\0${stats.size}\0${stats.mtimeMs}\n`);
    if (stats.isDirectory()) pending.push(...readdirSync(place).map((name) => `${place}/${name}`));
  }
  return hash.digest('hex').slice(0, 12);
}

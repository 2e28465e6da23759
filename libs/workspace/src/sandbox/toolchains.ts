/** Programs outside of the system's folders: what a box must see, read-only, so that the programs that PATH names run in it. */
import { readdirSync, realpathSync, statSync, type Stats } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { closedFolder, type CommandUser } from './command-user.js';

/** What a box sees anyway. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib64'];
/** Folders that hold much else, and so are never shown as a whole; nor is a home. */
const NEVER = new Set([
  ...['/', '/home', '/root', '/etc', '/proc', '/sys', '/dev', '/run', '/tmp', '/var'],
  '/var/tmp',
  '/opt',
  '/srv',
  '/mnt',
  '/media',
]);
/** What in a home is a tool as a whole. Anything else there is private (`.local`, `.cargo` with its credentials): only what PATH names is shown. */
const HOME_TOOLS =
  /^(\.nvm\/versions\/node\/[^/]+|\.(pyenv|rbenv|asdf|volta|sdkman|bun|deno)|\.rustup\/toolchains|(mini|ana|mamba|micro)(conda|forge|mamba)[^/]*)(?=\/|$)/;
/** Tools that look for their parts in the home: what is shown of them, and the variable that tells them where it is. */
const HOME_PARTS: readonly HomeParts[] = [
  {
    program: '.cargo/bin',
    variable: 'RUSTUP_HOME',
    folder: '.rustup',
    parts: ['toolchains', 'settings.toml'],
  },
  { program: '.pyenv/shims', variable: 'PYENV_ROOT', folder: '.pyenv', parts: ['.'] },
];
interface HomeParts {
  /** The folder of PATH, relative to the home as the others are. */
  readonly program: string;
  readonly variable: string;
  readonly folder: string;
  readonly parts: readonly string[];
}
/** So many links of one folder are followed. */
const MOST_ENTRIES = 2_000;

export interface Toolchains {
  /** PATH without folders that lie in the workspace, are not there, or that the command's user can't enter. */
  readonly path: string;
  /** Folders, and single files, to show. */
  readonly folders: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** What was found for a PATH, as long as its folders hold the same names: to follow a thousand links takes longer than a command. */
const kept = new Map<string, { readonly state: string; readonly found: Toolchains }>();

/** Never throws: a folder that can't be read is left out. `user`: whom the command runs as; null for the user that we are. */
export function toolchains(searchPath: string, workspacePath: string, user: CommandUser | null): Toolchains {
  const key = `${user?.uid}\0${searchPath}\0${workspacePath}`;
  const state = searchPath.split(':').map(changeOf).join();
  const before = kept.get(key);
  if (before?.state === state) return before.found;
  const found = findToolchains(searchPath, workspacePath, user);
  kept.set(key, { state, found });
  return found;
}

function changeOf(folder: string): number {
  return statOf(folder)?.ctimeMs ?? 0;
}

function findToolchains(searchPath: string, workspacePath: string, user: CommandUser | null): Toolchains {
  const isOpen = (place: string): boolean =>
    user === null || closedFolder(path.dirname(place), user) === null;
  const parts = searchPath.split(':').filter((part) => path.isAbsolute(part) && statOf(part)?.isDirectory());
  const outside = parts.filter((part) => {
    const real = realOf(part) ?? part;
    return !isBelow(real, workspacePath) && isOpen(part) && isOpen(real);
  });
  const needed = outside.flatMap((part) => [part, realOf(part) ?? part, ...targetsIn(part)]);
  const inHomes = outside.flatMap(homeParts);
  const roots = [
    ...needed.flatMap((folder) => rootOf(folder) ?? []),
    ...inHomes.flatMap(({ shown }) => shown),
  ]
    .filter((place) => !SYSTEM.some((system) => isBelow(place, system)))
    .filter((place) => !isBelow(workspacePath, place) && !isBelow(place, workspacePath) && isOpen(place));
  const folders = [...new Set(roots)];
  const isOutermost = (folder: string): boolean =>
    !folders.some((other) => other !== folder && isBelow(folder, other));
  return {
    path: outside.join(':'),
    folders: folders.filter(isOutermost),
    variables: Object.fromEntries(inHomes.map(({ variable, value }) => [variable, value])),
  };
}

/** What belongs to a folder of PATH in a home, if it is there. */
function homeParts(folder: string): { shown: string[]; variable: string; value: string }[] {
  const home = homeAbove(folder);
  if (home === null) return [];
  return HOME_PARTS.filter(({ program }) => path.join(home, program) === folder).flatMap((tool) => {
    const value = path.join(home, tool.folder);
    const shown = tool.parts.map((part) => path.join(value, part)).filter((place) => realOf(place) !== null);
    return shown.length === 0 ? [] : [{ shown, variable: tool.variable, value }];
  });
}

/** Folders that the programs in a folder are links into. */
function targetsIn(folder: string): string[] {
  try {
    const links = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink())
      .slice(0, MOST_ENTRIES);
    return links.flatMap((entry) => {
      const target = realOf(path.join(folder, entry.name));
      return target === null ? [] : [path.dirname(target)];
    });
  } catch {
    // Not ours to read: then the command's user has nothing of it either.
    return [];
  }
}

/** A tool's programs need what lies beside them: `bin` and `lib` in one folder. Null for what must not be shown. */
function rootOf(folder: string): string | null {
  const home = homeAbove(folder);
  if (home !== null) {
    const tool = HOME_TOOLS.exec(folder.slice(home.length + 1));
    return folder === home ? null : tool === null ? folder : path.join(home, tool[0]);
  }
  const name = path.basename(folder);
  const root = name === 'bin' || name === 'sbin' || name === 'libexec' ? path.dirname(folder) : folder;
  if (!NEVER.has(root)) return root;
  return NEVER.has(folder) ? null : folder;
}

/** The home that a folder lies in, or is. */
function homeAbove(folder: string): string | null {
  if (isBelow(folder, homedir())) return homedir();
  return /^\/(root|(home|Users)\/[^/]+)(?=\/|$)/.exec(folder)?.[0] ?? null;
}

/** Null for what is not there, behind a folder that is closed to us, or a link to itself. */
function statOf(place: string): Stats | null {
  try {
    return statSync(place);
  } catch {
    return null;
  }
}

function realOf(place: string): string | null {
  try {
    return realpathSync(place);
  } catch {
    // A link to nothing.
    return null;
  }
}

function isBelow(place: string, folder: string): boolean {
  return place === folder || place.startsWith(`${folder}/`);
}

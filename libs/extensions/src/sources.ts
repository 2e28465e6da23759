/** Where agents and tools may come from: the product itself, modules that the settings name, and the installation's own folder. */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorText, type AgentSource } from '@bullpen/contracts';
import { ownedFolder, type OwnedFolder } from './owned-file.js';
import type { ExtensionProblem } from './problem.js';

/** A folder with `agents/` in it, or more. */
export interface Source {
  readonly kind: AgentSource['kind'];
  /** The module's name; null for the others. */
  readonly module: string | null;
  readonly folder: OwnedFolder;
  /** The agents in another order than that of their names. */
  readonly agents?: readonly string[];
  /** The very files, instead of those in a folder of that name. */
  readonly files?: readonly string[];
}

/** What ships with the product. Its order is part of what `spawn_subtask` says, which providers cache: append. */
export const BUILT_IN: Source = {
  kind: 'built-in',
  module: null,
  folder: { path: fileURLToPath(new URL('.', import.meta.url)), owners: null },
  agents: ['general.md', 'explorer.md', 'survey-lead.md', 'survey-reader.md'],
};

/** The folder of an installation for its extensions. */
export function extensionsFolder(home: string): string {
  return join(home, 'extensions');
}

/** All sources, in the order in which they may take names: what ships, modules as they are named, the installation's folder. */
export function findSources(
  home: string,
  modules: readonly string[],
): { readonly sources: readonly Source[]; readonly problems: readonly ExtensionProblem[] } {
  const own = extensionsFolder(home);
  const found = modules.map((name) => ({ name, path: moduleFolder(name, [own, process.cwd()]) }));
  const problems = found.flatMap(({ name, path }) =>
    path === null
      ? [
          {
            file: name,
            line: null,
            message: `EXTENSIONS names this module, but it is not installed; run: npm install --prefix ${own} ${name}`,
          },
        ]
      : [],
  );
  const sources = found.flatMap(({ name, path }) =>
    path === null ? [] : [{ kind: 'module' as const, module: name, folder: ownedFolder(path) }],
  );
  return {
    sources: [BUILT_IN, ...sources, { kind: 'file', module: null, folder: ownedFolder(own) }],
    problems,
  };
}

/** Where a module is installed, as Node looks for it from these folders; null: nowhere. */
function moduleFolder(name: string, from: readonly string[]): string | null {
  const places = from.flatMap((folder) => createRequire(join(folder, 'any.js')).resolve.paths(name) ?? []);
  return (
    places.map((place) => join(place, name)).find((path) => existsSync(join(path, 'package.json'))) ?? null
  );
}

/** What is told of a file of a source. */
export function sourceOf({ kind, module, folder }: Source, file: string): AgentSource {
  return { kind, name: module ?? relative(folder.path, file) };
}

/** Paths of a source's files in one of its folders, in a stable order; none when there is no such folder. */
export function filesIn(
  { folder }: Source,
  name: string,
  kind: RegExp,
  problems: ExtensionProblem[],
): readonly string[] {
  const path = join(folder.path, name);
  if (!existsSync(path)) return [];
  try {
    const names = readdirSync(path).filter((file) => kind.test(file) && !file.startsWith('.'));
    return names.sort().map((file) => join(path, file));
  } catch (error) {
    problems.push({ file: path, line: null, message: `cannot be read: ${errorText(error)}` });
    return [];
  }
}

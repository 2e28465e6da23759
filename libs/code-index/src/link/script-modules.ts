/**
 * Modules of TypeScript and JavaScript: relative paths, path aliases of tsconfig (also through `extends`), packages of the workspace with
 * their `exports`.
 */
import { posix } from 'node:path';
import { folderOf, type IndexedFile, type Program } from './program.js';

/** The settings files of a workspace, by path. */
export interface ScriptSettings {
  /** Every `tsconfig.json` and `jsconfig.json`, parsed. */
  readonly configs: ReadonlyMap<string, unknown>;
  /** Every `package.json`, parsed. */
  readonly packages: ReadonlyMap<string, unknown>;
}

interface Alias {
  /** Files below it have the alias. */
  readonly folder: string;
  /** Around the star; without one, both are the whole. */
  readonly prefix: string;
  readonly suffix: string;
  readonly hasStar: boolean;
  /** Paths from the root, with a star or none. */
  readonly targets: readonly string[];
}

interface Package {
  readonly name: string;
  readonly folder: string;
  readonly manifest: Readonly<Record<string, unknown>>;
}

const ENDINGS = ['', '.ts', '.tsx', '.d.ts', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];
const INDEXES = ['index.ts', 'index.tsx', 'index.d.ts', 'index.js', 'index.jsx', 'index.mjs', 'index.cjs'];

export class ScriptModules {
  /** Paths by folder and name: a workspace has a hundred imports of the same. */
  private readonly found = new Map<string, string | null>();
  private readonly aliases: readonly Alias[];
  private readonly packages: readonly Package[];

  constructor(
    private readonly program: Program,
    { configs, packages }: ScriptSettings,
  ) {
    // Those of inner folders come first.
    this.aliases = [...configs]
      .flatMap(([path]) => aliasesOf(path, configs))
      .sort((a, b) => b.folder.length - a.folder.length);
    this.packages = [...packages].flatMap(([path, manifest]) => packageOf(path, manifest));
  }

  resolve(from: string, importer: IndexedFile): readonly IndexedFile[] {
    const key = `${folderOf(importer.path)}\0${from}`;
    let path = this.found.get(key);
    if (path === undefined) this.found.set(key, (path = this.find(from, importer)[0]?.path ?? null));
    const file = path === null ? null : this.program.file(path);
    return file === null ? [] : [file];
  }

  private find(from: string, importer: IndexedFile): readonly IndexedFile[] {
    if (from === '.' || from === '..' || /^\.\.?\//.test(from))
      return this.at(posix.join(folderOf(importer.path), from));
    const aliased = this.aliased(from, importer.path);
    return aliased.length > 0 ? aliased : this.packaged(from, importer);
  }

  private aliased(from: string, importer: string): readonly IndexedFile[] {
    for (const { folder, prefix, suffix, hasStar, targets } of this.aliases) {
      if (folder !== '' && !importer.startsWith(`${folder}/`)) continue;
      const fits = hasStar ? from.startsWith(prefix) && from.endsWith(suffix) : from === prefix;
      if (!fits) continue;
      const middle = hasStar ? from.slice(prefix.length, from.length - suffix.length) : '';
      for (const target of targets) {
        const found = this.at(target.replace('*', middle));
        if (found.length > 0) return found;
      }
    }
    return [];
  }

  private packaged(from: string, importer: IndexedFile): readonly IndexedFile[] {
    const found = this.packages
      .filter(({ name }) => from === name || from.startsWith(`${name}/`))
      .sort((a, b) => shared(b.folder, importer.path) - shared(a.folder, importer.path));
    for (const { name, folder, manifest } of found) {
      const inner = `.${from.slice(name.length)}`;
      for (const target of targetsOf(manifest, inner)) {
        const files = this.at(posix.join(folder, target));
        if (files.length > 0) return files;
      }
    }
    return [];
  }

  /** A file by a path that may lack its ending, name a folder, or have the ending of what is compiled. */
  private at(path: string): readonly IndexedFile[] {
    const clean = path === '.' ? '' : path.replace(/\/$/, '');
    const sources = [clean, clean.replace(/\.([mc]?)js$/, '.$1ts'), clean.replace(/\.jsx?$/, '.tsx')];
    const names = [
      ...sources,
      ...ENDINGS.map((ending) => `${clean}${ending}`),
      ...INDEXES.map((name) => posix.join(clean, name)),
      // What is built from a folder of sources beside it.
      ...sources.map((source) =>
        source.replace(/(^|\/)(?:dist|lib|build|out)\//, '$1src/').replace(/\.[mc]?js$/, '.ts'),
      ),
    ];
    for (const name of names) {
      const file = this.program.file(name);
      if (file !== null) return [file];
    }
    return [];
  }
}

function aliasesOf(path: string, configs: ReadonlyMap<string, unknown>): Alias[] {
  const found = pathsOf(path, configs, 8);
  if (found === null) return [];
  return Object.entries(found.paths).map(([pattern, targets]) => {
    const [prefix = '', suffix = ''] = pattern.split('*');
    const full = (Array.isArray(targets) ? targets : []).map((target) =>
      posix.join(found.base, String(target)),
    );
    return { folder: folderOf(path), prefix, suffix, hasStar: pattern.includes('*'), targets: full };
  });
}

/** The `paths` that hold for a config, its own or those of one that it extends, with the folder that they are relative to. */
function pathsOf(
  path: string,
  configs: ReadonlyMap<string, unknown>,
  depth: number,
): { readonly paths: object; readonly base: string } | null {
  const config = configs.get(path);
  if (depth === 0 || !isRecord(config)) return null;
  const options = isRecord(config['compilerOptions']) ? config['compilerOptions'] : {};
  const baseUrl = typeof options['baseUrl'] === 'string' ? options['baseUrl'] : '.';
  if (isRecord(options['paths']))
    return { paths: options['paths'], base: posix.join(folderOf(path), baseUrl) };
  const parents = [config['extends']].flat().filter((one) => typeof one === 'string');
  for (const parent of parents.reverse()) {
    const at = posix.join(folderOf(path), parent);
    const found = [at, `${at}.json`, posix.join(at, 'tsconfig.json')]
      .map((name) => pathsOf(name, configs, depth - 1))
      .find((one) => one !== null);
    if (found !== undefined) return found;
  }
  return null;
}

function packageOf(path: string, manifest: unknown): Package[] {
  if (!isRecord(manifest) || typeof manifest['name'] !== 'string') return [];
  return [{ name: manifest['name'], folder: folderOf(path), manifest }];
}

/** Files that a package gives for `.` or `./x`, best first. */
function targetsOf(manifest: Readonly<Record<string, unknown>>, inner: string): readonly string[] {
  const exported = manifest['exports'];
  const found = exportsFor(exported, inner);
  const main =
    inner === '.'
      ? [
          manifest['source'],
          manifest['types'],
          manifest['module'],
          manifest['main'],
          './index',
          './src/index',
        ]
      : [];
  const plain = exported === undefined || inner === '.' ? [...main, inner] : [];
  return [...found, ...plain, ...(inner === '.' ? [] : [inner, inner.replace(/^\.\//, './src/')])].filter(
    (one) => typeof one === 'string',
  );
}

function exportsFor(exported: unknown, inner: string): readonly string[] {
  if (!isRecord(exported)) return inner === '.' ? leaves(exported) : [];
  if (!Object.keys(exported).some((key) => key.startsWith('.'))) return inner === '.' ? leaves(exported) : [];
  for (const [key, value] of Object.entries(exported)) {
    if (key === inner) return leaves(value);
    const [prefix = '', suffix = ''] = key.split('*');
    if (key.includes('*') && inner.startsWith(prefix) && inner.endsWith(suffix)) {
      const middle = inner.slice(prefix.length, inner.length - suffix.length);
      return leaves(value).map((leaf) => leaf.replaceAll('*', middle));
    }
  }
  return [];
}

/** Every file among conditions; those of sources first. */
function leaves(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(leaves);
  if (!isRecord(value)) return [];
  return Object.values(value)
    .flatMap(leaves)
    .sort((a, b) => Number(/\.[mc]?tsx?$/.test(b)) - Number(/\.[mc]?tsx?$/.test(a)));
}

function shared(folder: string, path: string): number {
  let at = 0;
  while (at < folder.length && folder[at] === path[at]) at += 1;
  return at;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

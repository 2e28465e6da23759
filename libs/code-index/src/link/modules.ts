/** Which files an import means, and which names a file knows without importing them: by the rules of each language. */
import { posix } from 'node:path';
import { familyOf } from '../languages/language.js';
import { folderOf, type IndexedFile, type Program, type SymbolRef } from './program.js';
import { ScriptModules, type ScriptSettings } from './script-modules.js';

export class Modules {
  private readonly script: ScriptModules;

  constructor(
    private readonly program: Program,
    settings: ScriptSettings,
  ) {
    this.script = new ScriptModules(program, settings);
  }

  /** The files of a module that a file imports; none when it is not among those that are indexed. */
  resolve(from: string, importer: IndexedFile): readonly IndexedFile[] {
    switch (familyOf(importer.language)) {
      case 'script':
        return this.script.resolve(from, importer);
      case 'python':
        return this.python(from, importer);
      case 'go':
        return this.goPackage(from);
      case 'java':
        return this.javaFiles(from);
      case 'rust':
        return this.rustModule(from, importer);
      case 'c':
        return this.included(from, importer);
    }
  }

  /** Symbols that a file knows by a name that it neither defines nor imports. */
  around(file: IndexedFile, name: string): readonly SymbolRef[] {
    const named = () =>
      this.program
        .symbolsNamed(name)
        .filter(({ fact }) => fact.container === null && fact.owner === undefined);
    switch (familyOf(file.language)) {
      case 'go':
      case 'java': {
        const folder = folderOf(file.path);
        const near = named().filter(
          (symbol) =>
            folderOf(symbol.file.path) === folder && symbol.file.facts.package === file.facts.package,
        );
        return near.length > 0 ? near : this.starImported(file, named());
      }
      case 'c':
        // What is linked together knows one definition of a name, unless it is hidden in its file.
        return named().filter(
          (symbol) =>
            familyOf(symbol.file.language) === 'c' && (symbol.fact.isExported || symbol.file === file),
        );
      case 'python':
      case 'rust':
        return this.starImported(file, named());
      case 'script':
        return [];
    }
  }

  /** Modules inside of a package, by name. */
  submodule(module: IndexedFile, name: string): readonly IndexedFile[] {
    if (familyOf(module.language) !== 'python' || !/(?:^|\/)__init__\.pyi?$/.test(module.path)) return [];
    return this.pythonFiles(posix.join(folderOf(module.path), name));
  }

  private starImported(file: IndexedFile, named: readonly SymbolRef[]): readonly SymbolRef[] {
    const from = file.facts.imports
      .filter(({ local }) => local === '*')
      .flatMap((one) => this.resolve(one.from, file));
    return named.filter((symbol) => from.some(({ path }) => path === symbol.file.path));
  }

  /** `a.b`, `.a`, `..`: from the folder of the file, or from any folder above it that has such a package. */
  private python(from: string, importer: IndexedFile): readonly IndexedFile[] {
    const dots = /^\.+/.exec(from)?.[0].length ?? 0;
    const path = from.slice(dots).replaceAll('.', '/');
    if (dots > 0)
      return this.pythonFiles(
        posix.join(folderOf(importer.path), ...Array<string>(dots - 1).fill('..'), path),
      );
    for (let folder = folderOf(importer.path); ; folder = folderOf(folder)) {
      for (const root of [folder, posix.join(folder, 'src')]) {
        const found = this.pythonFiles(posix.join(root, path));
        if (found.length > 0) return found;
      }
      if (folder === '') return [];
    }
  }

  private pythonFiles(path: string): readonly IndexedFile[] {
    const clean = path === '.' ? '' : path;
    const names = [
      `${clean}.py`,
      posix.join(clean, '__init__.py'),
      `${clean}.pyi`,
      posix.join(clean, '__init__.pyi'),
    ];
    return names
      .map((name) => this.program.file(name))
      .filter((file) => file !== null)
      .slice(0, 1);
  }

  /** A folder whose path is the end of the import's. The module's own name, which stands in front, is in no folder. */
  private goPackage(from: string): readonly IndexedFile[] {
    const parts = from.split('/');
    for (let skip = 0; skip < parts.length; skip += 1) {
      const files = this.program
        .filesIn(parts.slice(skip).join('/'))
        .filter(({ language }) => language === 'go');
      if (files.length > 0) return files.filter(({ path }) => !path.endsWith('_test.go'));
    }
    return [];
  }

  /** The file of a class, or all files of a package. */
  private javaFiles(from: string): readonly IndexedFile[] {
    const path = from.replace(/\.\*$/, '').replaceAll('.', '/');
    const name = path.split('/').at(-1) ?? '';
    const classes = this.program.symbolsNamed(name).filter(({ file }) => file.path.endsWith(`${path}.java`));
    if (classes.length > 0) return [...new Set(classes.map(({ file }) => file))];
    if (!from.endsWith('.*')) return [];
    return [...this.program.files()]
      .map(({ file }) => file)
      .filter((file) => file.language === 'java' && `/${folderOf(file.path)}`.endsWith(`/${path}`));
  }

  /** `crate::a::b`, `super::a`, `self::a`: files of the crate; others are not here. */
  private rustModule(from: string, importer: IndexedFile): readonly IndexedFile[] {
    const parts = from.split('::');
    const own = importer.path.replace(/(?:\/mod)?\.rs$/, '');
    const isRoot = /(?:^|\/)(?:lib|main)\.rs$/.test(importer.path);
    const here = isRoot ? folderOf(importer.path) : own;
    const first = parts.shift() ?? '';
    const base =
      first === 'crate'
        ? crateOf(importer.path)
        : first === 'self'
          ? here
          : first === 'super'
            ? folderOf(here)
            : posix.join(here, first);
    let folder = base;
    while (parts[0] === 'super') {
      parts.shift();
      folder = folderOf(folder);
    }
    const path = posix.join(folder, ...parts);
    const names = [
      `${path}.rs`,
      posix.join(path, 'mod.rs'),
      posix.join(path, 'lib.rs'),
      posix.join(path, 'main.rs'),
    ];
    return names
      .map((name) => this.program.file(name))
      .filter((file) => file !== null)
      .slice(0, 1);
  }

  private included(from: string, importer: IndexedFile): readonly IndexedFile[] {
    const near = this.program.file(posix.join(folderOf(importer.path), from));
    if (near !== null) return [near];
    const named = this.program.filesNamed(posix.basename(from));
    return named.filter(({ path }) => path === from || path.endsWith(`/${from}`)).slice(0, 1);
  }
}

function crateOf(path: string): string {
  const at = path.lastIndexOf('src/');
  return at < 0 ? folderOf(path) : path.slice(0, at + 3);
}

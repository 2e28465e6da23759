/**
 * The repository as its imports see it: every source file with what it takes from which file, and what it exports. One parse of each
 * file serves all limits, and no types are computed, so that it takes seconds.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

/** What serves tests only, as `eslint.config.mjs` has it; the core's `testing` is an entry of its own. */
const TEST = /\.(spec|contract)\.tsx?$|^\w+\/[^/]+\/test\/|^(?!libs\/core\/)\w+\/[^/]+\/src\/testing\//;

/**
 * Every source file of the packages in `apps` and `libs`, and the scripts, which use them. A source is
 * `{ path, project, isTest, ast, imports: [{ to, names }], exports: Map(name -> { node } | { from, as }), stars: [path] }`; paths are
 * relative to the root, and `names` of an import that takes the whole module are all the identifiers of the importing file.
 */
export function readSources(root) {
  const projects = readProjects(root);
  const find = resolver(root, projects);
  return projects.flatMap((project) =>
    project.folders
      .flatMap((folder) => filesUnder(join(root, project.path, folder)))
      .map((file) => new Reader(relative(root, file), readFileSync(file, 'utf8'), project, find).source),
  );
}

/** The packages, each with its entries: the names under which others import it, and the source files that these mean. */
function readProjects(root) {
  const packages = ['apps', 'libs'].flatMap((group) =>
    entriesOf(join(root, group))
      .map(({ name }) => `${group}/${name}`)
      .filter((path) => existsSync(join(root, path, 'package.json'))),
  );
  const scripts = { path: 'scripts', folders: ['.'], entries: new Map() };
  return [...packages.map((path) => readProject(root, path)), scripts];
}

function readProject(root, path) {
  const {
    name,
    exports = {},
    dependencies = {},
  } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
  const entries = Object.entries(exports).flatMap(([key, { '@bullpen/source': source }]) =>
    source ? [[name + key.slice(1), join(path, source)]] : [],
  );
  return {
    path,
    name,
    dependencies: Object.keys(dependencies),
    folders: ['src', 'test', 'bin'],
    entries: new Map(entries),
  };
}

/** From the words of an import to the file of this repository that it means; undefined for what comes from elsewhere. */
function resolver(root, projects) {
  const entries = new Map(projects.flatMap((project) => [...project.entries]));
  return (importer, specifier) => {
    if (!specifier.startsWith('.')) return entries.get(specifier);
    // Programs import compiled modules; each is made of one source.
    const target = resolve(root, dirname(importer), specifier).replace('/dist/', '/src/');
    const candidates = [target.replace(/\.js$/, '.ts'), target.replace(/\.js$/, '.tsx'), target];
    const found = candidates.find(existsSync);
    return found && relative(root, found);
  };
}

function filesUnder(folder) {
  return entriesOf(folder, { recursive: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|m?js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/\/(generated|node_modules)\//.test(file))
    .sort();
}

function entriesOf(folder, options = {}) {
  return existsSync(folder) ? readdirSync(folder, { withFileTypes: true, ...options }) : [];
}

/** Reads one file. */
class Reader {
  constructor(path, text, project, find) {
    const ast = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    this.find = (specifier) => find(path, specifier.text);
    this.source = {
      path,
      project,
      isTest: TEST.test(path),
      ast,
      imports: [],
      exports: new Map(),
      stars: [],
    };
    for (const statement of ast.statements) {
      if (ts.isImportDeclaration(statement)) this.readImport(statement);
      else if (ts.isExportDeclaration(statement)) this.readReexport(statement);
      else if (hasModifier(statement, ts.SyntaxKind.ExportKeyword)) this.readExported(statement);
    }
    if (text.includes('import(')) this.readImportsInside(ast);
  }

  readImport({ importClause, moduleSpecifier }) {
    const bindings = importClause?.namedBindings;
    const isWhole = bindings !== undefined && ts.isNamespaceImport(bindings);
    const names = isWhole ? this.identifiers() : (bindings?.elements ?? []).map(nameBefore);
    if (importClause?.name) names.push('default');
    this.addImport(moduleSpecifier, names);
  }

  /** Passing a name on is no use of it: whoever imports it here uses it there. */
  readReexport({ exportClause, moduleSpecifier }) {
    const from = moduleSpecifier && this.find(moduleSpecifier);
    if (from) this.addImport(moduleSpecifier, []);
    if (from && !exportClause) this.source.stars.push(from);
    for (const element of exportClause?.elements ?? [])
      this.source.exports.set(element.name.text, { from, as: nameBefore(element), node: element });
  }

  readExported(statement) {
    // The first overload stands for all, and the schema for its type of the same name.
    const add = (name, node) => this.source.exports.has(name) || this.source.exports.set(name, { node });
    if (hasModifier(statement, ts.SyntaxKind.DefaultKeyword)) add('default', statement);
    else if (!ts.isVariableStatement(statement)) add(statement.name?.text ?? 'default', statement);
    else
      for (const { name } of statement.declarationList.declarations)
        namesIn(name).forEach(([text, node]) => add(text, node));
  }

  /** `import('…')`, as a call and as a type. */
  readImportsInside(node) {
    const isCall = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
    const specifier = isCall ? node.arguments[0] : ts.isImportTypeNode(node) && node.argument.literal;
    if (specifier && ts.isStringLiteralLike(specifier)) this.addImport(specifier, this.identifiers());
    ts.forEachChild(node, (child) => this.readImportsInside(child));
  }

  addImport(specifier, names) {
    const to = this.find(specifier);
    if (to) this.source.imports.push({ to, names });
  }

  identifiers() {
    const names = new Set();
    const visit = (node) => {
      if (ts.isIdentifier(node)) names.add(node.text);
      ts.forEachChild(node, visit);
    };
    visit(this.source.ast);
    return [...names];
  }
}

/** `a` of `a as b`: the name that the other module knows. */
function nameBefore({ propertyName, name }) {
  return (propertyName ?? name).text;
}

function namesIn(binding) {
  if (ts.isIdentifier(binding)) return [[binding.text, binding.parent]];
  return binding.elements.flatMap((element) => (element.name ? namesIn(element.name) : []));
}

function hasModifier(statement, kind) {
  return statement.modifiers?.some((modifier) => modifier.kind === kind) ?? false;
}

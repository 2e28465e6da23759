/** How many of the functions, classes and interfaces that files export say what they are for. Tests and scripts are not counted. */
import ts from 'typescript';

/** Words that say nothing that the name does not say already. */
const FILLERS =
  'a an and at by for from gets get given in is it its of on returns return that the this to with'.split(' ');

/**
 * @returns {{ place: string, project: string, kind: 'functions' | 'classes' | 'interfaces', isDocumented: boolean }[]}
 *   one for each export; the place is `path:line name`
 */
export function findDocstrings(sources) {
  return sources
    .filter(({ isTest, path }) => !isTest && path.endsWith('.ts'))
    .flatMap((source) => [...source.exports].flatMap(([name, { node }]) => describe(source, name, node)));
}

function describe({ path, project, ast }, name, node) {
  const kind = kindOf(node);
  if (!kind) return [];
  const line = ast.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  return [
    {
      place: `${path}:${line} ${name}`,
      project: project.path,
      kind,
      isDocumented: saysMore(name, docstringOf(node)),
    },
  ];
}

function kindOf(node) {
  if (ts.isClassDeclaration(node)) return 'classes';
  if (ts.isInterfaceDeclaration(node)) return 'interfaces';
  const { initializer } = node;
  const isFunction = ts.isFunctionDeclaration(node) || (initializer && ts.isFunctionLike(initializer));
  return isFunction ? 'functions' : null;
}

function docstringOf(node) {
  return ts
    .getJSDocCommentsAndTags(node)
    .map((doc) => doc.getText())
    .join(' ');
}

/** "Creates the client" above `createClient` is no docstring. */
function saysMore(name, text) {
  const known = new Set([...FILLERS, ...wordsOf(name)]);
  return wordsOf(text).some((word) =>
    ['', 's', 'es'].every((ending) => !known.has(word.replace(new RegExp(`${ending}$`), ''))),
  );
}

function wordsOf(text) {
  return (
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]+/g) ?? []
  );
}

/** Names that a package offers to others and that none of them takes: each makes its inside look like an interface. */

/**
 * What knip cannot tell: to it, all that an entry exports is used.
 *
 * @returns {{ total: number, dead: string[] }} how many names the entries export, and which of them (`entry name`) nothing outside of the package imports
 */
export function findDeadExports(sources) {
  const exports = new Exports(sources);
  const users = usersOf(sources, exports);
  const entries = [...new Set(sources.map(({ project }) => project))].flatMap((project) =>
    [...project.entries.values()].flatMap((path) =>
      exports.namesOf(path).map((name) => ({ project, path, name })),
    ),
  );
  const isDead = ({ project, path, name }) =>
    ![...(users.get(exports.originOf(path, name)) ?? [])].some((user) => user !== project);
  return {
    total: entries.length,
    dead: entries.filter(isDead).map(({ path, name }) => `${path} ${name}`),
  };
}

/** From each declaration to the packages that import it. */
function usersOf(sources, exports) {
  const users = new Map();
  for (const { project, imports } of sources)
    for (const { to, names } of imports)
      for (const name of names) {
        const origin = exports.originOf(to, name);
        if (origin) users.set(origin, (users.get(origin) ?? new Set()).add(project));
      }
  return users;
}

/** Follows names through the files that pass them on. */
class Exports {
  constructor(sources) {
    this.files = new Map(sources.map((source) => [source.path, source]));
  }

  /** All that a file exports, by itself or from others. */
  namesOf(path) {
    const { exports, stars } = this.files.get(path) ?? { exports: new Map(), stars: [] };
    return [...new Set([...exports.keys(), ...stars.flatMap((from) => this.namesOf(from))])];
  }

  /** Where a name that a file exports is declared, as `path name`; undefined if it exports none. */
  originOf(path, name) {
    const file = this.files.get(path);
    const found = file?.exports.get(name);
    if (found) return found.from ? this.originOf(found.from, found.as) : `${path} ${name}`;
    for (const from of file?.stars ?? []) {
      const origin = this.originOf(from, name);
      if (origin) return origin;
    }
    return undefined;
  }
}

/** Packages that import what their `package.json` does not name: they work only as long as somebody else has it installed. Tests are not looked at. */

/** `who -> what`, each once. */
export function findUnnamed(sources) {
  const projects = [...new Set(sources.map(({ project }) => project))];
  const owner = new Map(sources.map(({ path, project }) => [path, project]));
  const found = sources.flatMap(({ path, project, isTest, imports }) =>
    isTest || project.name === undefined
      ? []
      : imports
          .map(({ to }) => owner.get(to))
          .filter(
            (other) => other !== undefined && other !== project && !project.dependencies.includes(other.name),
          )
          .map((other) => `${project.path} -> ${other.name} (${path})`),
  );
  return { packages: projects.length, unnamed: onePerPair(found) };
}

function onePerPair(found) {
  return [...new Map(found.map((text) => [text.split(' (')[0], text])).values()].sort();
}

/**
 * Nx plugin: gives every workspace package its targets, so that no package.json has to repeat them. Nx's own plugins do not fit:
 * they build dependencies first by package, which is a circle where a spec of `core` uses `testing`; `tsc -b` orders them itself.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const createNodesV2 = [
  '{apps,libs}/*/package.json',
  (files, _options, { workspaceRoot }) =>
    files.map((file) => [
      file,
      { projects: { [dirname(file)]: { targets: targets(dirname(file), workspaceRoot) } } },
    ]),
];

function targets(project, workspaceRoot) {
  const compiled = existsSync(join(workspaceRoot, project, 'tsconfig.json'));
  return {
    lint: { command: `eslint ${project}` },
    ...(compiled && { build: { command: `node scripts/build.mjs ${project}` } }),
  };
}

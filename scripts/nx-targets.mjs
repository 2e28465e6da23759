/** Nx plugin: gives every workspace package its target, so that no package.json has to repeat it. The build is one for all of them. */
import { dirname } from 'node:path';

export const createNodesV2 = [
  '{apps,libs}/*/package.json',
  (files) =>
    files.map((file) => [
      file,
      { projects: { [dirname(file)]: { targets: { lint: { command: `eslint ${dirname(file)}` } } } } },
    ]),
];

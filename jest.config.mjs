/** One Jest run for the whole repository, in native ESM mode: sources are compiled by swc, workspace packages resolve to their sources. */
const { LONG_SPECS } = process.env;
const long = LONG_SPECS === '1' || LONG_SPECS === 'short';
/** What the short form leaves out, because another suite of CI plays it as well: the demo, the fuzzer, the browser, the workspaces, the drills. */
const PLAYED_ELSEWHERE = [
  'cli/src/e2e/demo',
  'faults/src/(fuzz/fuzz|wire/streams/streams|workspaces/workspaces)',
  'gateway/src/system/pages',
  'worker/src/workspaces/(moving|subtasks|forks|compaction)',
];

export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/apps', '<rootDir>/libs'],
  // Those that take long, because they start whole installations or kill workers in the middle, have a script of their own.
  testMatch: long ? ['**/*.long.spec.ts'] : ['**/*.spec.ts', '!**/*.long.spec.ts'],
  globalSetup: '<rootDir>/libs/testing/jest/global-setup.mjs',
  globalTeardown: '<rootDir>/libs/testing/jest/global-teardown.mjs',
  setupFiles: ['<rootDir>/libs/testing/jest/setup.mjs'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js'] },
  testEnvironmentOptions: { customExportConditions: ['@bullpen/source', 'node', 'node-addons'] },
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(LONG_SPECS === 'short' ? PLAYED_ELSEWHERE.map((path) => `/${path}\\.long\\.spec\\.ts$`) : []),
  ],
  modulePathIgnorePatterns: ['<rootDir>/(apps|libs)/[^/]+/dist/'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  // For what hangs. Tests wait for conditions, each with a limit of its own that says what did not come; a slow machine fails none.
  testTimeout: 120_000,
  // More than CI's two cores, because many suites wait: for processes to start, for connections and leases to be given up.
  maxWorkers: 3,
  // Modules of a suite that has ended are not all given back: without a limit a worker grows to several GB.
  workerIdleMemoryLimit: '1GB',
};

/** Jest in ESM mode: several libraries that we test with are ESM only. */
const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'es6' } },
    ],
  },
};

/** Folders whose tests run against a Temporal server; it starts only when one of them is asked for. */
const onServer = ['workflows', 'client', 'replay'];
/** The built product in real processes. */
const onBuild = ['e2e'];
/** What can befall real processes: minutes of it, so only where it is asked for by name, as `npm run test:faults` does. */
const faults = ['faults'];
const wantsFaults = process.argv.includes('faults');
const filesOf = (folders) => folders.map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`);

export default {
  testTimeout: 60_000,
  // Each file that loads the SDK leaves some 100 MB behind in Jest's ESM mode; a fresh process now and then gives it back.
  maxWorkers: 2,
  workerIdleMemoryLimit: '600MB',
  projects: [
    {
      ...common,
      displayName: 'unit',
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: [
        '/node_modules/',
        ...[...onServer, ...onBuild, ...faults].map((folder) => `<rootDir>/test/${folder}/`),
      ],
    },
    {
      ...common,
      displayName: 'temporal',
      testMatch: filesOf(onServer),
      globalSetup: '<rootDir>/test/support/global-setup.mjs',
      globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
    },
    { ...common, displayName: 'e2e', testMatch: filesOf(onBuild) },
    ...(wantsFaults ? [{ ...common, displayName: 'faults', testMatch: filesOf(faults) }] : []),
  ],
};

import { availableParallelism } from 'node:os';

/** Jest runs what `tsc -b` wrote: ESM needs NODE_OPTIONS=--experimental-vm-modules. */
export default {
  rootDir: '..',
  testEnvironment: 'node',
  transform: {},
  testMatch: ['<rootDir>/{libs,services,test-e2e}/**/dist/**/*.test.js'],
  testPathIgnorePatterns: ['/node_modules/'],
  // A change on the distributed profile takes a few hundred milliseconds where two cores hold servers and tests.
  testTimeout: 90_000,
  // Tests of servers and processes wait more than they compute: two at a time also on two cores.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  globalSetup: '<rootDir>/.config/jest-servers.mjs',
  globalTeardown: '<rootDir>/.config/jest-servers-end.mjs',
};

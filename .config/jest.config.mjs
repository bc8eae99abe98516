import { availableParallelism } from 'node:os';

/** They take minutes each: `COUNTERSIGN_TEST_LONG=true npm test` runs them as well. */
const LONG = [
  'backup/older-copy',
  'process-faults/consumers-end',
  'process-faults/owners-killed',
  'server-faults/acknowledgements',
  'server-faults/stores-gone',
  'server-faults/three-brokers',
];
const left =
  process.env.COUNTERSIGN_TEST_LONG === 'true' ? [] : LONG.map((name) => `/test-e2e/dist/${name}\\.test\\.js$`);

/** Jest runs what `tsc -b` wrote: ESM needs NODE_OPTIONS=--experimental-vm-modules. */
export default {
  rootDir: '..',
  testEnvironment: 'node',
  transform: {},
  testMatch: ['<rootDir>/{libs,services,test-e2e}/**/dist/**/*.test.js'],
  testPathIgnorePatterns: ['/node_modules/', ...left],
  // A change on the distributed profile takes a few hundred milliseconds where two cores hold servers and tests.
  testTimeout: 90_000,
  // Tests of servers and processes wait more than they compute: two at a time also on two cores.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  globalSetup: '<rootDir>/.config/jest-servers.mjs',
  globalTeardown: '<rootDir>/.config/jest-servers-end.mjs',
};

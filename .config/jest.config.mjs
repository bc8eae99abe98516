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

/**
 * Jest runs what `tsc -b` wrote, in processes that keep the modules of the product from one file to the next: a context
 * of its own for each file would load them again, and run them slower.
 */
export default {
  rootDir: '..',
  runner: ['jest-light-runner', { runtime: 'child_process' }],
  setupFilesAfterEnv: ['<rootDir>/.config/jest-globals.mjs'],
  testMatch: ['<rootDir>/{libs,services,test-e2e}/**/dist/**/*.test.js'],
  testPathIgnorePatterns: ['/node_modules/', ...left],
  // Tests of servers and processes wait more than they compute: two at a time also on two cores.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  reporters: ['default', '<rootDir>/.config/jest-slowest.mjs'],
  globalSetup: '<rootDir>/.config/jest-servers.mjs',
  globalTeardown: '<rootDir>/.config/jest-servers-end.mjs',
};

import { availableParallelism } from 'node:os';

/** Files that take minutes each, and disturb tests beside them. */
const LONG = [
  'backup/older-copy',
  'histories/histories',
  'process-faults/anchoring',
  'process-faults/consumers-end',
  'process-faults/owners-killed',
  'server-faults/acknowledgements',
  'server-faults/stores-gone',
  'server-faults/three-brokers',
]
  .map((name) => `test-e2e/dist/${name}.test.js`)
  .concat('libs/counters/dist/redis/many-histories.int.test.js');
/** `COUNTERSIGN_TEST_LONG`: `true` runs the long files as well, `only` runs them alone. */
const long = process.env.COUNTERSIGN_TEST_LONG;
const patternOf = (file) => `/${file.replaceAll('.', '\\.')}$`;

/**
 * Jest runs what `tsc -b` wrote, in processes that keep the modules of the product from one file to the next: a context
 * of its own for each file would load them again, and run them slower.
 */
export default {
  rootDir: '..',
  runner: '<rootDir>/.config/jest-runner.mjs',
  setupFilesAfterEnv: ['<rootDir>/.config/jest-globals.mjs'],
  testMatch:
    long === 'only'
      ? LONG.map((file) => `<rootDir>/${file}`)
      : ['<rootDir>/{libs,services,test-e2e}/**/dist/**/*.test.js'],
  testPathIgnorePatterns: ['/node_modules/', ...(long === undefined ? LONG.map(patternOf) : [])],
  // Tests of servers and processes wait more than they compute: two at a time also on two cores.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  reporters: ['default', '<rootDir>/.config/jest-slowest.mjs'],
  globalSetup: '<rootDir>/.config/jest-servers.mjs',
  globalTeardown: '<rootDir>/.config/jest-servers-end.mjs',
};

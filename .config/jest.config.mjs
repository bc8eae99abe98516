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
/**
 * Files of whole installations, browsers and faults, which take most of the time together. `npm test` leaves them out, to
 * take less than ten minutes on two cores.
 */
const INSTALLATIONS = [
  '(?:access|backup|process-faults|reliability|server-faults|topology|torture)/.+',
  'pages/(?:console|docs).*',
  'scenarios/(?:alerts|erasure|evidence|mutated-checks|overload|plans|series|signing-keys|streams)',
].map((files) => String.raw`/test-e2e/dist/${files}\.test\.js$`);
/**
 * `COUNTERSIGN_TEST_LONG`: `none` leaves out the files of installations and the long ones, `most` the long ones, `only` all
 * others. `true` runs every file, and properties with all of their random runs. Without it every file runs, so that
 * `npx jest PATH` finds each.
 */
const long = process.env.COUNTERSIGN_TEST_LONG;
/**
 * Files at a time. Those of whole installations wait half of their time: on two cores two of them run beside one file of unit
 * tests, which takes the time that they leave. Where a test stops servers, no other file does so.
 */
const AT_A_TIME = Math.max(3, availableParallelism() - 1);
const patternOf = (file) => `/${file.replaceAll('.', '\\.')}$`;
const skipped = [
  ...(long === 'none' ? INSTALLATIONS : []),
  ...(long === 'none' || long === 'most' ? LONG.map(patternOf) : []),
];

/**
 * Jest runs what `tsc -b` wrote, in processes that keep the modules of the product from one file to the next: a context
 * of its own for each file would load them again, and run them slower.
 */
export default {
  rootDir: '..',
  runner: [
    '<rootDir>/.config/jest-runner.mjs',
    {
      limits: [
        [String.raw`/test-e2e/dist/`, Math.max(2, AT_A_TIME - 1)],
        [String.raw`/test-e2e/dist/server-faults/`, 1],
      ],
      behind: long === 'only' ? 0 : 1,
    },
  ],
  setupFilesAfterEnv: ['<rootDir>/.config/jest-globals.mjs'],
  testMatch:
    long === 'only'
      ? LONG.map((file) => `<rootDir>/${file}`)
      : ['<rootDir>/{libs,services,test-e2e}/**/dist/**/*.test.js'],
  testPathIgnorePatterns: ['/node_modules/', ...skipped],
  maxWorkers: AT_A_TIME,
  reporters: ['default', '<rootDir>/.config/jest-slowest.mjs'],
  globalSetup: '<rootDir>/.config/jest-servers.mjs',
  globalTeardown: '<rootDir>/.config/jest-servers-end.mjs',
};

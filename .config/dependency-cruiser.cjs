/**
 * Who may import whom. Each rule's comment says what to do instead; `check-imports.mjs` runs them and
 * `import-fixtures.mjs` holds, for each rule, an import that it must report.
 */

/** Tests read vectors, open files and call oracles: the rules of purity and of drivers are for what ships. */
const TESTS = '\\.test\\.ts$';

/** A package, or all of a scope, in node_modules, its types, or its bare name where it cannot be resolved. */
const npm = (...names) => `(^|node_modules/)(@types/)?(${names.join('|')})(/|$)`;

const DRIVERS = ['better-sqlite3', 'kafkajs', 'ioredis', 'mongoose', 'mongodb', '@solana', 'litesvm'];

/** Computes on its arguments alone, also in a browser. */
const PURE_PACKAGES = [
  '@noble',
  'json-canonicalize',
  'tweetnacl',
  'tldts',
  're2js',
  'punycode',
  'bs58',
  'ibantools',
  'libphonenumber-js',
  '@marcbachmann/cel-js',
  'libpg-query',
];

const mayImport = (name, from, allowed, instead) => ({
  name,
  severity: 'error',
  comment: instead,
  from: { path: `^libs/${from}/` },
  to: { path: '^(libs|services|test-e2e)/', pathNot: `^libs/(${[from, ...allowed].join('|')})/` },
});

const onlyIn = (name, packages, folders, instead) => ({
  name,
  severity: 'error',
  comment: instead,
  from: { path: '^(libs|services|test-e2e)/', pathNot: [TESTS, ...folders] },
  to: { path: npm(...packages) },
});

const forbidden = [
  {
    name: 'no-circular',
    severity: 'error',
    comment: 'Two modules that need each other are one, or a third is missing below both: move the shared part there.',
    from: { path: '^(libs|services|test-e2e)/' },
    to: { circular: true },
  },
  {
    name: 'no-unresolvable',
    severity: 'error',
    comment: 'Nothing is found under that name: correct the path (relative ones end in .js) or add the package.',
    from: { path: '^(libs|services|test-e2e)/' },
    to: { couldNotResolve: true, pathNot: '^@countersign/' },
  },
  {
    name: 'public-entry-only',
    severity: 'error',
    comment: "A package is entered by its name alone (@countersign/x): export what you need from that package's index.",
    from: { path: '^(libs|services|test-e2e)/' },
    to: { path: '^@countersign/', couldNotResolve: true },
  },
  {
    name: 'no-path-into-another-package',
    severity: 'error',
    comment:
      "No relative path leaves its package: import @countersign/x and export what you need from that package's index.",
    from: { path: '^((?:libs|services)/[^/]+|test-e2e)/' },
    to: { path: '^(libs|services|test-e2e)/', pathNot: '^$1/', dependencyTypes: ['local'] },
  },
  {
    name: 'declared-dependencies',
    severity: 'error',
    comment:
      "Name the package, with its exact version, under dependencies of the importing package's own package.json.",
    from: { path: '^(libs|services)/', pathNot: TESTS },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
  },

  mayImport(
    'async-stands-alone',
    'async',
    [],
    'async schedules the work of any package: let the package that needs more join it.',
  ),
  mayImport(
    'contracts-stand-alone',
    'contracts',
    [],
    'contracts is what all others agree on: move the type here, or the logic to the package that needs it.',
  ),
  mayImport(
    'evidence-imports-contracts',
    'evidence',
    ['contracts'],
    'evidence is pure and runs in a browser: take the value as an argument; types go to contracts.',
  ),
  mayImport(
    'policy-engine-imports-contracts',
    'policy-engine',
    ['contracts', 'rules'],
    'policy-engine decides on its arguments alone: let the gateway fetch the value and pass it; types go to contracts.',
  ),
  mayImport(
    'event-formats-import-evidence',
    'event-formats',
    ['contracts', 'evidence'],
    'event-formats writes the event that it is given: let the service read it from the archive and send it.',
  ),
  mayImport(
    'redecide-imports-engine',
    'redecide',
    ['contracts', 'evidence', 'policy-engine', 'process'],
    'redecide computes on a package alone, also in a browser: take the value as an argument; types go to contracts.',
  ),
  mayImport(
    'rules-import-contracts',
    'rules',
    ['contracts'],
    'rules judges on its arguments alone: take a matcher of policy-engine as a port; types go to contracts.',
  ),
  mayImport(
    'event-log-imports-contracts',
    'event-log',
    ['async', 'contracts'],
    'A port knows nothing of the ports beside it: let service-kit or the service join them.',
  ),
  mayImport(
    'counters-imports-contracts',
    'counters',
    ['async', 'contracts'],
    'A port knows nothing of the ports beside it: let service-kit or the service join them.',
  ),
  mayImport(
    'chain-imports-contracts',
    'chain',
    ['async', 'contracts'],
    'A port knows nothing of the ports beside it: let service-kit or the service join them.',
  ),
  mayImport(
    'document-store-imports-contracts',
    'document-store',
    ['contracts', 'evidence'],
    'A port knows nothing of the ports beside it: let topics, service-kit or the service join them.',
  ),
  mayImport(
    'process-imports-contracts',
    'process',
    ['contracts', 'evidence', 'document-store'],
    'What every program begins with knows no service and no framework: let service-kit or the program join them.',
  ),
  mayImport(
    'http-edge-imports-process',
    'http-edge',
    ['contracts', 'evidence', 'document-store', 'process'],
    'The edge admits requests and knows no log and no service: take what it needs of them as an argument.',
  ),
  mayImport(
    'topics-imports-ports',
    'topics',
    ['async', 'contracts', 'evidence', 'event-log', 'counters', 'process', 'test-kit'],
    'topics follows and writes the log for any service: take what it needs of a service as a `TopicContext`.',
  ),
  mayImport(
    'service-kit-imports-ports',
    'service-kit',
    ['async', 'contracts', 'event-log', 'counters', 'chain', 'document-store', 'process', 'http-edge', 'topics'],
    'service-kit starts any service and knows none: let the service pass what it needs in its definition.',
  ),
  mayImport(
    'mcp-proxy-imports-client',
    'mcp-proxy',
    ['async', 'client-js'],
    'The proxy is a client of the service as any other: it knows what the client library knows.',
  ),
  {
    name: 'cli-is-a-client',
    severity: 'error',
    comment:
      'A command uses an installation from outside: ask the API, or put what operates one into services/standalone.',
    from: { path: '^libs/cli/' },
    to: {
      path: '^(libs|services|test-e2e)/',
      pathNot:
        '^(libs/(async|cli|chain|client-js|contracts|evidence|mcp-proxy|policy-engine|process|redecide)|services/policy)/',
    },
  },
  {
    name: 'fsck-in-the-program-alone',
    severity: 'error',
    comment: 'fsck reads the stores of all services: only the program that runs it may import it.',
    from: { path: '^(libs|services|test-e2e)/', pathNot: '^(libs/fsck|services/standalone)/' },
    to: { path: '^libs/fsck/' },
  },
  mayImport(
    'test-kit-imports-event-log',
    'test-kit',
    ['contracts', 'event-log'],
    'Tests of every package use test-kit: take what it needs of a service as an argument.',
  ),
  {
    name: 'test-kit-in-tests',
    severity: 'error',
    comment: 'test-kit is for tests: what ships does without it.',
    from: {
      path: '^(libs|services|test-e2e)/',
      pathNot: ['^libs/test-kit/', '\\.test[a-z-]*\\.ts$', '\\.contract\\.ts$'],
    },
    to: { path: '^libs/test-kit/' },
  },
  mayImport(
    'client-imports-contracts',
    'client-js',
    ['contracts'],
    'The client speaks HTTP: the types of contracts are all that it shares with the server.',
  ),

  {
    name: 'pure-without-node',
    severity: 'error',
    comment: 'This library runs in a browser: take bytes, time and randomness as arguments from the caller.',
    from: { path: '^libs/(contracts|evidence|policy-engine|redecide|rules)/src/', pathNot: TESTS },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'pure-packages-only',
    severity: 'error',
    comment:
      'This library does no I/O: write it here, take it as an argument, or, if the package computes on its arguments alone, ' +
      'add it to PURE_PACKAGES in .config/dependency-cruiser.cjs.',
    from: { path: '^libs/(evidence|policy-engine|redecide|rules)/', pathNot: TESTS },
    to: { path: ['node_modules/'], pathNot: npm(...PURE_PACKAGES) },
  },
  {
    name: 'no-framework-below-service-kit',
    severity: 'error',
    comment: 'Nest and Express stay at the edge: export a plain function and let service-kit or the service wrap it.',
    from: {
      path: '^libs/(contracts|evidence|policy-engine|redecide|rules|event-log|counters|chain|process|http-edge|topics|client-js)/',
    },
    to: { path: npm('@nestjs', 'express', 'rxjs', 'reflect-metadata') },
  },

  onlyIn(
    'kafka-in-its-adapter',
    ['kafkajs'],
    ['^libs/event-log/.*/kafka/'],
    'Use the event-log port; kafkajs belongs to libs/event-log/src/kafka/.',
  ),
  onlyIn(
    'redis-in-its-adapter',
    ['ioredis'],
    ['^libs/counters/.*/redis/'],
    'Use the counters port; ioredis belongs to libs/counters/src/redis/.',
  ),
  onlyIn(
    'solana-in-its-adapter',
    ['@solana'],
    ['^libs/chain/.*/(solana|localnet)/', '^test-e2e/.*\\.test-kit\\.ts$'],
    'Use the chain port; @solana packages belong to libs/chain/src/solana/ and libs/chain/src/localnet/.',
  ),
  onlyIn(
    'litesvm-in-localnet',
    ['litesvm'],
    ['^libs/chain/.*/localnet/'],
    'Talk JSON-RPC to the embedded network; litesvm belongs to libs/chain/src/localnet/.',
  ),
  onlyIn(
    'mongoose-in-its-store',
    ['mongoose', 'mongodb'],
    ['^libs/document-store/.*/mongo/', '^services/[^/]+/src/store/mongo[a-z-]*\\.ts$'],
    "Use the document store, or the service's store port; mongoose belongs to libs/document-store/src/mongo/ and store/mongo.ts.",
  ),
  onlyIn(
    'sqlite-in-its-adapter',
    ['better-sqlite3'],
    [
      '^services/[^/]+/src/store/sqlite\\.ts$',
      '^libs/[^/]+/.*/sqlite/',
      '^libs/process/src/data-directory/instance-lock\\.ts$',
      '^libs/chain/src/localnet/',
      '^libs/fsck/',
    ],
    'Use the port or the store; better-sqlite3 belongs to store/sqlite.ts, sqlite/, localnet/ and the fsck that reads files.',
  ),
  {
    name: 'adapters-know-no-foreign-driver',
    severity: 'error',
    comment: 'One driver per adapter file: this library has no adapter for that backend.',
    from: { path: '^libs/(contracts|evidence|policy-engine|rules|client-js)/', pathNot: TESTS },
    to: { path: npm(...DRIVERS) },
  },

  {
    name: 'service-not-service',
    severity: 'error',
    comment:
      'Services meet in topics, ports and HTTP: read the topic, keep a projection, or move the shared rule to a library.',
    from: { path: '^services/([^/]+)/', pathNot: '^services/standalone/' },
    to: { path: '^services/', pathNot: '^services/$1/' },
  },
  {
    name: 'no-imports-of-tests',
    severity: 'error',
    comment: 'Black-box scenarios are the end of the line: move what ships into a library.',
    from: { path: '^services/' },
    to: { path: '^test-e2e/' },
  },
  {
    name: 'front-ends-use-the-client',
    severity: 'error',
    comment: 'This service is a user of the API: call it through client-js.',
    from: { path: '^services/(mcp|console)/', pathNot: `^services/console/web/.*${TESTS}` },
    to: { path: '^libs/', pathNot: '^libs/(client-js|contracts|process|http-edge|service-kit)/' },
  },
  {
    name: 'console-page-imports-types',
    severity: 'error',
    comment: 'The page is a client in a browser: it shares types with the server (import type), and no code.',
    from: { path: '^services/console/web/', pathNot: TESTS },
    to: {
      path: '^(libs|services|test-e2e)/',
      pathNot: '^services/console/web/',
      dependencyTypesNot: ['type-only', 'type-import'],
    },
  },
  {
    name: 'test-e2e-is-a-black-box',
    severity: 'error',
    comment:
      'Scenarios see HTTP and the clients: start the program as a process and ask it, or move the test beside the code.',
    from: { path: '^test-e2e/' },
    to: { path: '^(libs|services)/', pathNot: '^libs/client-js/' },
  },
];

module.exports = {
  forbidden,
  options: {
    // ES modules only: a function of our own named require is not one.
    moduleSystems: ['es6'],
    tsPreCompilationDeps: true,
    doNotFollow: { path: ['node_modules', '/dist/'] },
  },
};

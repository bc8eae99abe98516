/**
 * Imports that must be reported, by the rule named, and imports that must not be. `check-imports.mjs` writes
 * them into a throw-away tree, one file each, and runs the real rules over it: a rule that cannot fail is worthless.
 */

/** Packages that the throw-away tree has in node_modules. */
export const packages = [
  'better-sqlite3',
  'kafkajs',
  'ioredis',
  'mongoose',
  '@solana/web3.js',
  'litesvm',
  '@nestjs/common',
  'express',
  'axios',
  '@noble/hashes',
];

/** Packages that its workspaces leave out of their package.json. */
export const undeclared = ['left-out'];

export const forbidden = [
  ['no-circular', 'services/gateway/src/one.ts', "import { two } from './two.js'; export const one = two;"],
  [
    'no-circular',
    'services/gateway/src/two.ts',
    "import type { one } from './one.js'; export const two = 2 as typeof one;",
  ],
  ['no-circular', 'libs/event-log/src/lazy.ts', "export const lazy = () => import('./eager.js');"],
  ['no-circular', 'libs/event-log/src/eager.ts', "export { lazy } from './lazy.js';"],
  ['no-unresolvable', 'services/gateway/src/typo.ts', "import { a } from './not-there.js'; a();"],
  [
    'public-entry-only',
    'services/gateway/src/deep.ts',
    "import { a } from '@countersign/evidence/src/merkle.js'; a();",
  ],
  [
    'public-entry-only',
    'services/gateway/src/built.ts',
    "import { a } from '@countersign/evidence/dist/merkle.js'; a();",
  ],
  [
    'no-path-into-another-package',
    'services/gateway/src/entry.ts',
    "import { a } from '../../../libs/evidence/src/index.js'; a();",
  ],
  [
    'no-path-into-another-package',
    'services/gateway/src/path.ts',
    "import { a } from '../../../libs/evidence/src/merkle.js'; a();",
  ],
  ['declared-dependencies', 'services/gateway/src/undeclared.ts', "import { a } from 'left-out'; a();"],

  ['async-stands-alone', 'libs/async/src/a.ts', "import { a } from '@countersign/contracts'; a();"],
  ['contracts-stand-alone', 'libs/contracts/src/a.ts', "import { a } from '@countersign/evidence'; a();"],
  [
    'contracts-stand-alone',
    'libs/contracts/src/b.ts',
    "import type { a } from '@countersign/evidence'; export type B = typeof a;",
  ],
  ['evidence-imports-contracts', 'libs/evidence/src/a.ts', "import { a } from '@countersign/event-log'; a();"],
  ['evidence-imports-contracts', 'libs/evidence/src/b.test.ts', "import { a } from '@countersign/policy-engine'; a();"],
  ['policy-engine-imports-contracts', 'libs/policy-engine/src/a.ts', "import { a } from '@countersign/evidence'; a();"],
  ['rules-import-contracts', 'libs/rules/src/a.ts', "import { a } from '@countersign/policy-engine'; a();"],
  ['event-formats-import-evidence', 'libs/event-formats/src/a.ts', "import { a } from '@countersign/topics'; a();"],
  ['redecide-imports-engine', 'libs/redecide/src/a.ts', "import { a } from '@countersign/rules'; a();"],
  ['event-log-imports-contracts', 'libs/event-log/src/a.ts', "import { a } from '@countersign/counters'; a();"],
  ['counters-imports-contracts', 'libs/counters/src/a.ts', "import { a } from '@countersign/service-kit'; a();"],
  [
    'document-store-imports-contracts',
    'libs/document-store/src/a.ts',
    "import { a } from '@countersign/event-log'; a();",
  ],
  ['chain-imports-contracts', 'libs/chain/src/a.ts', "import { a } from '@countersign/evidence'; a();"],
  ['service-kit-imports-ports', 'libs/service-kit/src/a.ts', "import { a } from '@countersign/policy-engine'; a();"],
  ['service-kit-imports-ports', 'libs/service-kit/src/b.ts', "export const b = () => import('@countersign/gateway');"],
  ['process-imports-contracts', 'libs/process/src/a.ts', "import { a } from '@countersign/service-kit'; a();"],
  ['http-edge-imports-process', 'libs/http-edge/src/a.ts', "import { a } from '@countersign/event-log'; a();"],
  ['topics-imports-ports', 'libs/topics/src/a.ts', "import { a } from '@countersign/service-kit'; a();"],
  ['cli-is-a-client', 'libs/cli/src/a.ts', "import { a } from '@countersign/event-log'; a();"],
  ['fsck-in-the-program-alone', 'services/gateway/src/f.ts', "import { a } from '@countersign/fsck'; a();"],
  ['mcp-proxy-imports-client', 'libs/mcp-proxy/src/a.ts', "import { a } from '@countersign/contracts'; a();"],
  ['test-kit-imports-event-log', 'libs/test-kit/src/a.ts', "import { a } from '@countersign/service-kit'; a();"],
  ['test-kit-in-tests', 'services/gateway/src/tried.ts', "import { a } from '@countersign/test-kit'; a();"],
  ['client-imports-contracts', 'libs/client-js/src/a.ts', "import { a } from '@countersign/evidence'; a();"],

  ['pure-without-node', 'libs/evidence/src/c.ts', "import { readFileSync } from 'node:fs'; readFileSync('a');"],
  ['pure-without-node', 'libs/evidence/src/d.ts', "import { createHash } from 'crypto'; createHash('sha256');"],
  [
    'pure-without-node',
    'libs/policy-engine/src/c.ts',
    "import type { Server } from 'node:http'; export type S = Server;",
  ],
  ['pure-without-node', 'libs/contracts/src/c.ts', "import { Buffer } from 'node:buffer'; Buffer.alloc(1);"],
  ['pure-packages-only', 'libs/evidence/src/e.ts', "import axios from 'axios'; axios();"],
  [
    'no-framework-below-service-kit',
    'libs/policy-engine/src/d.ts',
    "import { Injectable } from '@nestjs/common'; Injectable();",
  ],
  ['no-framework-below-service-kit', 'libs/event-log/src/d.ts', "import express from 'express'; express();"],

  ['kafka-in-its-adapter', 'libs/event-log/src/sqlite/b.ts', "import { Kafka } from 'kafkajs'; new Kafka();"],
  ['kafka-in-its-adapter', 'services/anchoring/src/k.ts', "export const k = () => import('kafkajs');"],
  ['redis-in-its-adapter', 'libs/counters/src/counters.ts', "import { Redis } from 'ioredis'; new Redis();"],
  [
    'solana-in-its-adapter',
    'services/anchoring/src/s.ts',
    "import type { Connection } from '@solana/web3.js'; export type C = Connection;",
  ],
  ['litesvm-in-localnet', 'libs/chain/src/solana/l.ts', "import { LiteSVM } from 'litesvm'; new LiteSVM();"],
  ['mongoose-in-its-store', 'services/policy/src/store/port.ts', "import mongoose from 'mongoose'; mongoose();"],
  [
    'sqlite-in-its-adapter',
    'services/policy/src/store/open.ts',
    "import Database from 'better-sqlite3'; new Database();",
  ],
  ['sqlite-in-its-adapter', 'test-e2e/src/probe.ts', "import Database from 'better-sqlite3'; new Database();"],
  ['adapters-know-no-foreign-driver', 'libs/contracts/src/d.ts', "import { Kafka } from 'kafkajs'; new Kafka();"],

  ['no-framework-below-service-kit', 'libs/process/src/d.ts', "import express from 'express'; express();"],

  ['service-not-service', 'services/gateway/src/peer.ts', "import { a } from '@countersign/policy'; a();"],
  ['service-not-service', 'services/gateway/src/whole.ts', "import { a } from '@countersign/standalone'; a();"],
  [
    'no-imports-of-tests',
    'services/gateway/src/probe.ts',
    "import { probe } from '../../../test-e2e/src/probe.js'; probe();",
  ],
  ['front-ends-use-the-client', 'services/mcp/src/a.ts', "import { a } from '@countersign/event-log'; a();"],
  [
    'console-page-imports-types',
    'services/console/web/src/code.tsx',
    "import { a } from '@countersign/contracts'; export const b = <p>{a()}</p>;",
  ],
  ['test-e2e-is-a-black-box', 'test-e2e/src/inside.ts', "import { a } from '@countersign/evidence'; a();"],
  [
    'test-e2e-is-a-black-box',
    'test-e2e/src/types.ts',
    "import type { a } from '@countersign/contracts'; export type T = typeof a;",
  ],
];

export const allowed = [
  ['libs/evidence/src/ok.ts', "import type { a } from '@countersign/contracts'; export type A = typeof a;"],
  ['libs/evidence/src/hash.ts', "import { sha256 } from '@noble/hashes'; sha256();"],
  ['libs/evidence/src/vectors.test.ts', "import { readFileSync } from 'node:fs'; readFileSync('a');"],
  ['libs/event-log/src/sqlite/log.ts', "import Database from 'better-sqlite3'; new Database();"],
  ['libs/event-log/src/kafka/log.ts', "import { Kafka } from 'kafkajs'; new Kafka();"],
  ['libs/counters/src/redis/counters.ts', "import { Redis } from 'ioredis'; new Redis();"],
  ['libs/chain/src/solana/chain.ts', "import { Connection } from '@solana/web3.js'; new Connection();"],
  ['libs/chain/src/localnet/network.ts', "import { LiteSVM } from 'litesvm'; new LiteSVM();"],
  ['libs/service-kit/src/adapters.ts', "export const open = () => import('@countersign/event-log');"],
  ['services/policy/src/store/sqlite.ts', "import Database from 'better-sqlite3'; new Database();"],
  ['services/policy/src/store/mongo.ts', "import mongoose from 'mongoose'; mongoose();"],
  ['libs/policy-engine/src/rules.ts', "import { a } from '@countersign/rules'; a();"],
  ['services/gateway/src/decide.ts', "import { a } from '@countersign/policy-engine'; a();"],
  ['services/standalone/src/run.ts', "import { a } from '@countersign/gateway'; a();"],
  ['services/standalone/src/check.ts', "import { a } from '@countersign/fsck'; a();"],
  ['libs/cli/src/test-policy.ts', "import { a } from '@countersign/policy'; a();"],
  ['libs/fsck/src/read.ts', "import Database from 'better-sqlite3'; new Database();"],
  ['services/mcp/src/ok.ts', "import { a } from '@countersign/client-js'; a();"],
  ['libs/event-log/src/demand.ts', "const require = (name: string) => name; require('meta');"],
  [
    'services/console/web/src/ok.tsx',
    "import type { a } from '@countersign/contracts'; export const b = (c: typeof a) => <p>{c()}</p>;",
  ],
  ['test-e2e/src/ok.ts', "import { a } from '@countersign/client-js'; a();"],
];

/** Folders whose name says nothing, and ones that resemble them and are fine. */
export const folders = {
  forbidden: ['libs/evidence/src/utils', 'services/gateway/src/http/common', 'libs/shared', 'services/policy/core/src'],
  allowed: ['libs/evidence/src/merkle', 'services/gateway/src/core-dump', 'libs/contracts/src/http'],
};

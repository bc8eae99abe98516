import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InProcessCounters } from '@countersign/counters';
import { openSqliteLog } from '@countersign/event-log';
import type { EventLog } from '@countersign/event-log';
import { createLogger, createRegistry, loadConfig } from '@countersign/process';
import { PeerRegistry, serveThread } from '@countersign/service-kit';
import type { AccountOperator, ServingThread } from '@countersign/service-kit';
import type { Registry } from 'prom-client';
import { definition } from './definition.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // A test reads members of the answer it expects.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

export interface Running {
  readonly dataDir: string;
  readonly eventLog: EventLog;
  readonly counters: InProcessCounters;
  readonly metrics: Registry;
  readonly operator: AccountOperator;
  readonly serving: ServingThread;
  ask(method: string, path: string, body?: unknown, token?: string): Promise<Answer>;
  /** Advances the wall clock of the service. */
  advance(ms: number): void;
  stop(): Promise<void>;
  restart(): Promise<Running>;
  cleanup(): Promise<void>;
}

/**
 * Runs the service alone in a thread: its real store, a real log, counters in process, HTTP on loopback.
 * @param shared log and counters of another instance, which outlives this one
 */
export async function runIdentity(
  environment: Readonly<Record<string, string>> = {},
  dataDir?: string,
  shared?: Pick<Running, 'eventLog' | 'counters'>,
): Promise<Running> {
  const folder = dataDir ?? (await mkdtemp(join(tmpdir(), 'identity-')));
  const eventLog = shared?.eventLog ?? (await openSqliteLog({ file: join(folder, 'log.db') }));
  const counters = shared?.counters ?? new InProcessCounters();
  await counters.serve();
  const peers = new PeerRegistry();
  let moved = 0;
  let address = '';
  const metrics = createRegistry('test', false);
  const thread = {
    config: loadConfig({ COUNTERSIGN_DATA_DIR: folder, ...environment }),
    log: createLogger('silent'),
    eventLog,
    counters,
    metrics,
    peers,
    clock: () => Date.now() + moved,
    chain: () => Promise.reject(new Error('no chain in this test')),
    publicUrl: () => address,
  };
  const serving = await serveThread([definition], thread, { on: { host: '127.0.0.1', port: 0 } }, (listening) => {
    address = listening;
  });
  while (serving.notReady().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const stop = async (): Promise<void> => {
    await serving.closeIntake(100);
    await serving.stop();
    if (shared === undefined) await eventLog.close();
  };
  return {
    dataDir: folder,
    eventLog,
    metrics,
    counters,
    operator: await peers.peer('account-operator'),
    serving,
    async ask(method, path, body, token) {
      const response = await fetch(address + path, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
    },
    advance(ms) {
      moved += ms;
    },
    stop,
    async restart() {
      await stop();
      return runIdentity(environment, folder);
    },
    async cleanup() {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

export const FIRST = {
  accountId: '11111111-1111-4111-8111-111111111111',
  accountName: 'First account',
  plan: 'enterprise',
  userId: '22222222-2222-4222-8222-222222222222',
  email: 'admin@countersign.local',
  password: 'a password of the first user',
  apiKeyId: '33333333-3333-4333-8333-333333333333',
  apiKeyName: 'bootstrap',
  apiKey: `csn_live_${'0'.repeat(40)}`,
} as const;

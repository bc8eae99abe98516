import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { openRedisCounters } from '@countersign/counters';
import type { Counters } from '@countersign/counters';
import type { EventLog } from '@countersign/event-log';
import { createLogger } from '@countersign/process';
import type { ServiceContext } from '@countersign/service-kit';
import { createGateway } from './definition.js';

/** Gateways of one test file have one instance secret. */
const SHARED = mkdtempSync(join(tmpdir(), 'gateways-'));
const url = process.env['COUNTERSIGN_TEST_REDIS_URL'] ?? '';

/** `describe`, or without Redis a skipped one whose name says what it needs. */
export function withRedis(what: string, tests: () => void): void {
  if (url === '') describe.skip(`${what} (needs Redis: COUNTERSIGN_TEST_REDIS_URL)`, tests);
  else describe(what, tests);
}

/** One of several gateways: all of one prefix share their counts. */
export interface GatewayOnRedis {
  readonly port: number;
  readonly counters: Counters;
  notReady(): readonly string[];
  stop(): Promise<void>;
}

/** @param prefix of the keys of its counters on Redis: the same for gateways that share counts */
export async function startOnRedis(eventLog: EventLog, prefix: string): Promise<GatewayOnRedis> {
  const counters = await openRedisCounters({ url, prefix, deadlineMs: 1000, settleMs: 500 });
  const context = {
    name: 'gateway',
    config: {
      checkDeadlineMs: 5000,
      upgradeUrl: 'https://example.com/plans',
      anchorWindowSeconds: null,
      ...{ dataDir: SHARED, instanceSecretFile: null, pendingApprovalsPerAgent: 100 },
    },
    log: createLogger('silent'),
    eventLog,
    counters,
    metrics: new Registry(),
    clock: Date.now,
    publicUrl: () => 'https://example.com',
  } as unknown as ServiceContext;
  const running = await createGateway(context);
  const server = createServer((request, response) => void running.rawHandler!(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const notReady = () => running.notReady();
  while (notReady().length > 0) await sleep(10);
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    await running.stop();
    server.closeAllConnections();
    await closed;
    await counters.close();
  };
  return { port, counters, notReady, stop };
}

/** Removes all keys of a prefix. */
export async function forgetOnRedis(prefix: string): Promise<void> {
  await askRedis('EVAL', `for _, k in ipairs(redis.call('KEYS', '${prefix}*')) do redis.call('DEL', k) end`, '0');
}

/** Runs one command; gateways have no driver of Redis. */
export async function askRedis(...words: readonly string[]): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const commands = [['SELECT', pathname.slice(1) || '0'], words];
  const text = commands.map((command) => `*${command.length}\r\n${command.map(bulk).join('')}`).join('');
  const socket = connect({ host: hostname, port: Number(port || 6379) });
  await new Promise<void>((resolve, reject) => {
    let replies = '';
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      replies += chunk.toString('utf8');
      if (replies.split('\r\n').length > 2) resolve();
    });
    socket.end(text);
  });
  socket.destroy();
}

function bulk(word: string): string {
  return `$${Buffer.byteLength(word)}\r\n${word}\r\n`;
}

import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Inject, Module } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { route, uuid } from '@countersign/contracts';
import type { Route } from '@countersign/contracts';
import type { Counters } from '@countersign/counters';
import { openSqliteLog, requireKept } from '@countersign/event-log';
import type { LogBatch, SqliteLog } from '@countersign/event-log';
import { createLogger, createRegistry, loadConfig } from '@countersign/process';
import { HttpAnswer } from '@countersign/http-edge';
import type { ApiKeyCaller, RouteInput } from '@countersign/http-edge';
import { StoreUnreachable } from '@countersign/document-store';
import { HttpRoute, Input } from '../hosting/decorators.js';
import type { ServiceDefinition } from './definition.js';
import { PeerRegistry } from './peer-registry.js';
import { serveThread } from './serve-thread.js';
import type { ServingThread } from './serve-thread.js';
import type { ThreadContext } from './start-services.js';

export const common = { service: 'policy', summary: '', tag: 'things', success: 200, responses: {} } as const;
const body = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } as const;
const listThings = route({
  ...common,
  method: 'GET',
  path: '/v1/things/{id}',
  operationId: 'listThings',
  auth: 'none',
  params: { id: uuid },
  query: { limit: { type: 'integer', minimum: 1, maximum: 1000, default: 50 } },
});
const makeThing = route({
  ...common,
  method: 'POST',
  path: '/v1/things',
  operationId: 'makeThing',
  auth: 'session',
  role: 'member',
  body,
  success: 201,
});
const checkThing = route({
  ...common,
  method: 'POST',
  path: '/v1/check-thing',
  operationId: 'checkThing',
  auth: 'api-key',
  rights: ['check'],
  body,
});
const openThing = route({ ...common, method: 'POST', path: '/v1/open', operationId: 'openThing', auth: 'none', body });
const looseThing = route({
  ...common,
  method: 'POST',
  path: '/v1/loose',
  operationId: 'looseThing',
  auth: 'none',
  body,
  bodyOptional: true,
  bodyLimit: 'verification',
});
const streamThing = route({ ...common, method: 'GET', path: '/v1/stream', operationId: 'streamThing', auth: 'none' });
const failThing = route({ ...common, method: 'GET', path: '/v1/fail', operationId: 'failThing', auth: 'none' });
export const ROUTES = [listThings, makeThing, checkThing, openThing, looseThing, streamThing, failThing];

/** Values that the consumer received. */
export interface Seen {
  readonly batches: number[];
  failures: number;
}
const SEEN = Symbol('seen');

@Controller()
class ThingsController {
  readonly #seen: Seen;
  constructor(@Inject(SEEN) seen: Seen) {
    this.#seen = seen;
  }

  @HttpRoute(listThings)
  list(@Input() input: RouteInput): unknown {
    return { params: input.params, query: input.query, from: input.remoteAddress };
  }

  @HttpRoute(makeThing)
  make(@Input() { body: thing, caller }: RouteInput<{ name: string }>): unknown {
    return { name: thing.name, by: caller.email };
  }

  @HttpRoute(checkThing)
  check(@Input() { caller }: RouteInput<unknown, unknown, ApiKeyCaller>): unknown {
    return caller;
  }

  @HttpRoute(openThing)
  open(@Input() { body: thing }: RouteInput): unknown {
    return thing;
  }

  @HttpRoute(looseThing)
  loose(@Input() { body: thing }: RouteInput): unknown {
    return thing;
  }

  @HttpRoute(streamThing)
  stream(): HttpAnswer {
    async function* chunks(): AsyncGenerator<string> {
      for (let i = 0; i < 3; i += 1) yield `${i};`;
    }
    return HttpAnswer.stream(200, 'text/plain', chunks(), { 'x-kind': 'stream' });
  }

  @HttpRoute(failThing)
  async fail(@Input() { headers }: RouteInput): Promise<never> {
    if (headers['x-store'] === 'gone') throw new StoreUnreachable('the store cannot be reached');
    throw new Error('password of the database is hunter2');
  }

  @EventPattern('agent-events')
  async onEvents(@Payload() batch: LogBatch): Promise<void> {
    await Promise.resolve();
    if (this.#seen.failures > 0) {
      this.#seen.failures -= 1;
      throw new Error('the store is away');
    }
    requireKept(positionOf(this.#seen), batch);
    for (const { offset } of batch.records) this.#seen.batches.push(offset);
  }
}

function positionOf({ batches }: Seen): number | null {
  return batches.length === 0 ? null : Math.max(...batches) + 1;
}

@Module({})
class ThingsModule {}

export function definitionWith(seen: Seen, routes: readonly Route[] = ROUTES): ServiceDefinition {
  return {
    name: 'policy',
    routes,
    reads: ['agent-events'],
    writes: [],
    after: [],
    start: async () => ({
      module: {
        module: ThingsModule,
        controllers: [ThingsController],
        providers: [{ provide: SEEN, useValue: seen }],
      },
      consumer: { group: 'things', position: () => positionOf(seen) },
      notReady: () => [],
      stop: async () => undefined,
    }),
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** A thread that serves a service of things, on a log of its own. */
export class ThingsBench {
  /** Versions of credentials in the counters, by `kind/id`. */
  readonly versions = new Map<string, number>();
  readonly seen: Seen = { batches: [], failures: 0 };
  dataDir!: string;
  eventLog!: SqliteLog;
  thread!: ThreadContext;
  serving!: ServingThread;

  async open(): Promise<void> {
    this.dataDir = await mkdtemp(join(tmpdir(), 'countersign-kit-'));
    this.eventLog = await openSqliteLog({ file: join(this.dataDir, 'log.db') });
    this.thread = {
      config: loadConfig({ COUNTERSIGN_DATA_DIR: this.dataDir }),
      log: createLogger('silent'),
      eventLog: this.eventLog,
      counters: {
        version: async (kind: string, id: string) => this.versions.get(`${kind}/${id}`) ?? null,
      } as unknown as Counters,
      metrics: createRegistry('test', false),
      peers: new PeerRegistry(),
      clock: () => Date.now(),
      chain: () => Promise.reject(new Error('no chain in this test')),
      publicUrl: () => this.serving.address,
    };
    this.serving = await serveThread([definitionWith(this.seen)], this.thread, {
      on: { host: '127.0.0.1', port: 0 },
      process: {
        notReady: () => this.serving.notReady(),
        registry: () => Promise.resolve(this.thread.metrics),
        routes: () => ROUTES,
      },
    });
  }

  async close(): Promise<void> {
    await this.serving.closeIntake(1000);
    await this.serving.stop();
    await this.eventLog.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  readonly send = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    payload?: string | Buffer,
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const request = httpRequest(`${this.serving.address}${path}`, { method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      });
      request.on('error', reject);
      request.end(payload);
    });
}

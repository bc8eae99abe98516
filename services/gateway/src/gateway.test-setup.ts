import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type {
  AccountFacts,
  AgentFacts,
  ApiKeyFacts,
  BehaviorProfile,
  EventEnvelope,
  TopicName,
} from '@countersign/contracts';
import { InProcessCounters } from '@countersign/counters';
import { openSqliteLog } from '@countersign/event-log';
import type { EventLog } from '@countersign/event-log';
import { canonicalize } from '@countersign/evidence';
import { emptyProfile } from '@countersign/policy-engine';
import type { ValueProvider } from '@nestjs/common';
import { createLogger, mintApiKey } from '@countersign/process';
import { versionedRecord } from '@countersign/topics';
import type { ServiceContext } from '@countersign/service-kit';
import { createGateway } from './definition.js';
import type { Evaluator } from './evaluation/evaluator.js';
import { EVALUATOR } from './http/evaluation-controller.js';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a body of any shape, looked into by assertions
  readonly body: any;
}

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Uint8Array;
}

export interface RunningGateway {
  readonly port: number;
  readonly counters: InProcessCounters;
  readonly log: EventLog;
  readonly metrics: Registry;
  readonly evaluator: Evaluator;
  notReady(): readonly string[];
  stop(): Promise<void>;
}

/** A data directory with one account, key and agent, and gateways that run on it one after the other. */
export class GatewayBench {
  readonly directory = mkdtempSync(join(tmpdir(), 'gateway-'));
  readonly accountId: string = randomUUID();
  readonly agentId: string = randomUUID();
  readonly keyId: string = randomUUID();
  readonly key = mintApiKey((bytes) => randomBytes(bytes));
  log!: EventLog;
  gateway!: RunningGateway;
  readonly #versions = new Map<string, number>();

  async open(options: StartOptions = {}): Promise<void> {
    this.log = await openSqliteLog({ file: join(this.directory, 'log.db') });
    if (this.#versions.size === 0) {
      await this.putAccount({});
      await this.putKey(this.keyId, this.key);
      await this.putAgent(this.agentId, {});
    }
    this.gateway = await start(this.log, options, this.directory);
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await this.log.close();
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  async putAccount(facts: Partial<AccountFacts>, raise = true): Promise<void> {
    const whole = {
      name: 'a',
      plan: 'enterprise',
      actionCap: null,
      sandboxExpiresAt: null,
      cadenceSeconds: 1,
      ...facts,
    };
    await this.#put('accounts', 'account', this.accountId, whole, raise);
  }

  async putKey(id: string, key: string, facts: Partial<ApiKeyFacts> = {}, raise = true): Promise<void> {
    const whole: ApiKeyFacts = {
      accountId: this.accountId,
      name: 'k',
      prefix: key.slice(0, 16),
      sha256: createHash('sha256').update(key).digest('hex'),
      createdAt: new Date().toISOString(),
      revokedAt: null,
      ...facts,
    };
    await this.#put('api-keys', 'api-key', id, whole, raise);
  }

  async putAgent(
    id: string,
    rules: Partial<BehaviorProfile>,
    facts: Partial<AgentFacts> = {},
    raise = true,
  ): Promise<void> {
    const version = (this.#versions.get(id) ?? 0) + 1;
    const profile: BehaviorProfile = { ...emptyProfile(id), version, ...rules };
    const whole: AgentFacts = {
      accountId: this.accountId,
      name: 'agent',
      type: null,
      purpose: null,
      version: null,
      status: 'active',
      blockchain_ssn: null,
      wallet_address: null,
      chain_tx_signature: null,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      registered_at: null,
      unfrozenAtMs: 0,
      profile,
      profileSha256: createHash('sha256').update(canonicalize(profile)).digest('hex'),
      ...facts,
    };
    await this.#put('agents', 'agent', id, whole, raise);
  }

  async #put(
    topic: TopicName,
    kind: 'account' | 'api-key' | 'agent',
    id: string,
    value: object,
    raise: boolean,
  ): Promise<void> {
    const version = (this.#versions.get(id) ?? 0) + 1;
    this.#versions.set(id, version);
    // In the owner's order: durable, then raised, then answered.
    await this.log.append([versionedRecord(topic, id, version, value)]);
    if (raise && (this.gateway as RunningGateway | undefined) !== undefined)
      await this.gateway.counters.raise(kind, id, version);
  }

  async check(action: unknown, sent: Sent = {}, agentId = this.agentId): Promise<Answer> {
    return this.send({ ...sent, body: sent.body ?? JSON.stringify({ agentId, action }) });
  }

  send(sent: Sent): Promise<Answer> {
    return send(this.gateway.port, { ...sent, headers: { 'x-service-key': this.key, ...sent.headers } });
  }

  /** All messages of `agent-events`. */
  async events(): Promise<readonly EventEnvelope[]> {
    const records = await this.log.read('agent-events', 0, 0, 100_000);
    return records.map(({ value }) => JSON.parse(Buffer.from(value).toString('utf8')) as EventEnvelope);
  }
}

export interface StartOptions {
  /** `host:port` of key sets that are asked without TLS, at any address. */
  readonly webhookAllowedHosts?: readonly string[];
  readonly deadlineMs?: number;
  /** Gets the lines that the gateway logs at the levels info and warn. */
  readonly lines?: (entry: object, words: string) => void;
  /** Wraps the log of the gateway. */
  readonly between?: (log: EventLog) => EventLog;
}

const IGNORED = { debug: () => undefined, error: () => undefined };

async function start(log: EventLog, options: StartOptions, dataDir: string): Promise<RunningGateway> {
  const counters = new InProcessCounters();
  const metrics = new Registry();
  const context = {
    name: 'gateway',
    config: {
      checkDeadlineMs: options.deadlineMs ?? 5000,
      upgradeUrl: 'https://example.com/plans',
      anchorWindowSeconds: null,
      webhookAllowedHosts: options.webhookAllowedHosts ?? [],
      ...{ dataDir, instanceSecretFile: null, pendingApprovalsPerAgent: 100 },
    },
    log:
      options.lines === undefined ? createLogger('silent') : { ...IGNORED, info: options.lines, warn: options.lines },
    eventLog: options.between?.(log) ?? log,
    counters,
    metrics,
    clock: Date.now,
    publicUrl: () => 'https://example.com',
  } as unknown as ServiceContext;
  const running = await createGateway(context);
  const { providers } = running.module as { readonly providers: readonly ValueProvider[] };
  const server = createServer({ requireHostHeader: false }, (request, response) => {
    if (running.rawHandler!(request, response)) return;
    response.statusCode = 404;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  while (running.notReady().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  return {
    port: (server.address() as AddressInfo).port,
    counters,
    log,
    metrics,
    evaluator: providers.find(({ provide }) => provide === EVALUATOR)!.useValue as Evaluator,
    notReady: () => running.notReady(),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      await running.stop();
      server.closeAllConnections();
      await closed;
      await counters.close();
    },
  };
}

export function send(
  port: number,
  { method = 'POST', path = '/v1/check', headers = {}, body = '' }: Sent,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode!, headers: response.headers, text, body: parsed(text) });
      });
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

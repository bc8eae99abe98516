import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventArchive, SessionFacts } from '@countersign/contracts';
import { loadConfig } from '@countersign/process';
import { run, sessionTokens } from '@countersign/service-kit';
import type { RunningProcess, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { versionedRecord } from '@countersign/topics';
import { definition } from '../definition.js';
import { ArchivedEvents } from './archived-events.js';

export const ACCOUNT = '11111111-1111-4111-8111-111111111111';
export const OTHER_ACCOUNT = '22222222-2222-4222-8222-222222222222';
const USER = 'aaaaaaaa-0000-4000-8000-000000000001';

export interface Answer {
  readonly status: number;
  /** Any body; the assertions check its shape. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/** An agent id that belongs to a number. */
export const agentId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Waits until a value is good. @throws Error with the value when it is not in time */
export async function until<T>(look: () => Promise<T> | T, good: (value: T) => boolean, ms = 30_000): Promise<T> {
  for (const end = Date.now() + ms; ;) {
    const value = await look();
    if (good(value)) return value;
    if (Date.now() > end) throw new Error(`it did not come to that: ${JSON.stringify(value)?.slice(0, 2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** The service alerts in a process, with an archive in place of audit-log, and sessions of two accounts. */
export class StreamProcess {
  readonly directory = mkdtempSync(join(tmpdir(), 'streams-'));
  readonly archive = new ArchivedEvents();
  readonly #tokens = new Map<string, string>();
  #running: RunningProcess | null = null;
  #context: ServiceContext | null = null;
  #agents = 0;

  /** Stands in for policy and audit-log. */
  readonly #probe: ServiceDefinition = {
    name: 'audit-log',
    routes: [],
    reads: [],
    writes: ['agents', 'agent-heads', 'sessions'],
    after: [],
    start: async (given) => {
      this.#context = given;
      given.provide('event-archive', this.archive as unknown as EventArchive);
      return { notReady: () => [], stop: async () => undefined };
    },
  };

  /** @param allowedHosts `host:port` each, of the receivers of the test */
  async start(allowedHosts: readonly string[]): Promise<void> {
    const config = loadConfig({
      COUNTERSIGN_DATA_DIR: this.directory,
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_LOG_LEVEL: 'silent',
      COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS: allowedHosts.join(','),
      COUNTERSIGN_ANCHOR_WINDOW_SECONDS: '1',
    });
    this.#running = await run([this.#probe, definition], config);
    if (this.#tokens.size > 0) return;
    for (const role of ['auditor', 'member', 'admin'] as const) {
      this.#tokens.set(role, await this.#session(role, ACCOUNT));
    }
    this.#tokens.set('stranger', await this.#session('admin', OTHER_ACCOUNT));
  }

  get address(): string {
    return this.#running!.address;
  }

  /** Ends the process; its store stays. */
  async stop(): Promise<void> {
    await this.#running?.stop();
  }

  /** Ends the process, and removes its store. */
  async discard(): Promise<void> {
    await this.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** @param who `auditor`, `member`, `admin`; `stranger`: the admin of another account */
  async ask(who: string, method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#tokens.get(who)}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
  }

  /** Creates a stream. @returns its id */
  async made(body: object): Promise<string> {
    const answer = await this.ask('admin', 'POST', '/v1/streams', body);
    expect(answer).toMatchObject({ status: 201 });
    return (answer.body as { readonly id: string }).id;
  }

  state(id: string): Promise<Answer> {
    return this.ask('auditor', 'GET', `/v1/streams/${id}`);
  }

  remove(id: string): Promise<Answer> {
    return this.ask('admin', 'DELETE', `/v1/streams/${id}`);
  }

  newAgent(): string {
    return agentId((this.#agents += 1));
  }

  /** Archives events, and publishes their heads. */
  async happen(agent: string, count: number, occurredAtMs?: number): Promise<readonly string[]> {
    const ids = this.archive.add(ACCOUNT, agent, count, occurredAtMs);
    await this.archive.publish(this.#context!, agent);
    return ids;
  }

  async #session(role: SessionFacts['role'], accountId: string): Promise<string> {
    const context = this.#context!;
    const sid = `${accountId}-${role}`;
    const expiresAt = new Date(Date.now() + 3_600_000);
    const facts = { accountId, userId: USER, email: `${role}@example.com`, role, revokedAt: null };
    await context.eventLog.append([
      versionedRecord<SessionFacts>('sessions', sid, 1, { ...facts, expiresAt: expiresAt.toISOString() }),
    ]);
    return (await sessionTokens(context)).sign({ sid, accountId }, expiresAt);
  }
}

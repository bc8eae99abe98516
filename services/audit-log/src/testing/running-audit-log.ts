import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountFacts, AgentFacts, EventEnvelope, SessionFacts } from '@countersign/contracts';
import { loadConfig } from '@countersign/process';
import { run, sessionTokens } from '@countersign/service-kit';
import type { RunningProcess, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { versionedRecord } from '@countersign/topics';
import { definition } from '../definition.js';
import { ACCOUNT } from './envelopes.js';

export const OTHER_ACCOUNT = 'account-b';

export interface Answer {
  readonly status: number;
  /** Whatever the route answers; the assertions say what it must be. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/** audit-log in a process of one data directory, next to a probe that plays every other service. */
export class RunningAuditLog {
  readonly #directory = mkdtempSync(join(tmpdir(), 'audit-log-routes-'));
  readonly #tokens = new Map<string, string>();
  #running!: RunningProcess;
  context!: ServiceContext;

  async start(): Promise<void> {
    const config = loadConfig({
      COUNTERSIGN_DATA_DIR: this.#directory,
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_LOG_LEVEL: 'silent',
    });
    const probe: ServiceDefinition = {
      name: 'policy',
      routes: [],
      reads: [],
      writes: ['agent-events', 'agents', 'accounts', 'sessions', 'anchors'],
      after: ['audit-log'],
      start: async (context) => {
        this.context = context;
        return { notReady: () => [], stop: async () => undefined };
      },
    };
    this.#running = await run([definition, probe], config);
    for (const accountId of [ACCOUNT, OTHER_ACCOUNT]) await this.addAccount(accountId);
    for (const role of ['auditor', 'member', 'admin'] as const) await this.signIn(role, ACCOUNT, role);
    await this.signIn('stranger', OTHER_ACCOUNT, 'admin');
  }

  async addAccount(accountId: string): Promise<void> {
    const facts: AccountFacts = {
      ...{ name: accountId, plan: 'enterprise', actionCap: null, sandboxExpiresAt: null, cadenceSeconds: 60 },
    };
    await this.context.eventLog.append([versionedRecord<AccountFacts>('accounts', accountId, 1, facts)]);
  }

  async signIn(who: string, accountId: string, role: SessionFacts['role'], userId = `user-${who}`): Promise<void> {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const facts = { accountId, userId, email: `${who}@example.com`, role };
    await this.context.eventLog.append([
      versionedRecord<SessionFacts>('sessions', who, 1, {
        ...facts,
        expiresAt: expiresAt.toISOString(),
        revokedAt: null,
      }),
    ]);
    const tokens = await sessionTokens(this.context);
    this.#tokens.set(who, await tokens.sign({ sid: who, accountId }, expiresAt));
    // The service follows the topic, and knows the session a moment later.
    await this.eventually(async () => expect((await this.ask(who, '/v1/alerts/open-count')).status).toBe(200));
  }

  get address(): string {
    return this.#running.address;
  }

  /** @param who `auditor`, `member` or `admin` of {@link ACCOUNT}, `stranger`: the admin of another; `null`: no session */
  authorization(who: string | null): Readonly<Record<string, string>> {
    return who === null ? {} : { authorization: `Bearer ${this.#tokens.get(who)}` };
  }

  async ask(who: string | null, path: string, method = 'GET', body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.address}${path}`, {
      method,
      headers: { ...this.authorization(who), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
  }

  addAgent(agentId: string, accountId = ACCOUNT, facts: Partial<AgentFacts> = {}): Promise<unknown> {
    return this.context.eventLog.append([
      versionedRecord<AgentFacts>('agents', agentId, 1, {
        ...{ name: 'Agent', blockchain_ssn: null, accountId },
        ...facts,
      } as AgentFacts),
    ]);
  }

  /** Appends events to the log; resolves when the archive has them. */
  async append(...envelopes: EventEnvelope[]): Promise<void> {
    const { eventLog } = this.context;
    await eventLog.append(
      envelopes.map((one) => ({ topic: 'agent-events' as const, key: one.leaf.agentId, value: JSON.stringify(one) })),
    );
    const archive = await this.context.peer('event-archive');
    await archive.caughtUp(await eventLog.endOffsets('agent-events'), 60_000);
  }

  /** Repeats the assertions until they hold, for at most 30 s. */
  async eventually(assertions: () => Promise<void>): Promise<void> {
    for (const end = Date.now() + 30_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
      try {
        return await assertions();
      } catch (error) {
        if (Date.now() > end) throw error;
      }
    }
  }

  async stop(): Promise<void> {
    await this.#running.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked } from '../instance/instance.js';
import type { Session } from '../torture/recorded.js';

const CALL = { type: 'http_call', url: 'https://api.example.com/v1/orders' };

/**
 * Changes things without a pause while their owners end and start: freezes and profiles of each agent, and API keys that are
 * created and revoked. After each answered change, every gateway in turn must apply it in its next check.
 */
export class ChangeStorm {
  /** Answered changes that did not hold. */
  readonly problems: string[] = [];
  /** Number of answered changes. */
  answered = 0;
  /** Keys whose revocation was answered. */
  readonly revoked: string[] = [];
  /** The highest answered version of each agent's profile. */
  readonly profiles = new Map<string, number>();
  readonly #states = new Map<string, 'frozen' | 'active' | 'unknown'>();
  readonly #revokedKeys: string[] = [];
  readonly #running: Promise<unknown>;
  #stopped = false;

  constructor(
    readonly edge: Asked,
    readonly session: Session,
    agentIds: readonly string[],
    readonly gateways: readonly Asked[],
  ) {
    const until = async (step: (n: number) => Promise<void>): Promise<void> => {
      for (let n = 1; !this.#stopped; n += 1) {
        // Without an answer its owner has ended: nothing is guaranteed.
        await step(n).catch(() => undefined);
        await sleep(20);
      }
    };
    const agents = agentIds.map((agentId) => until((n) => this.#changeAgent(agentId, n)));
    this.#running = Promise.all([...agents, until(() => this.#revokeKey())]);
  }

  /** Frozen agents, according to the answers. */
  get frozen(): readonly string[] {
    return [...this.#states].flatMap(([id, state]) => (state === 'frozen' ? [id] : []));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #changeAgent(agentId: string, n: number): Promise<void> {
    const headers = this.session;
    const host = `n${n}.example.net`;
    this.#states.set(agentId, this.#states.get(agentId) ?? 'active');
    const profile = await this.edge.request('PATCH', `/v1/agents/${agentId}/profile`, {
      headers,
      body: { blocked_apis: [host] },
    });
    if (profile.status === 200) {
      this.answered += 1;
      this.profiles.set(agentId, (profile.json as { version: number }).version);
      if (this.#states.get(agentId) === 'active') {
        const blocked = { type: 'http_call', url: `https://${host}/x` };
        await this.#everywhere(`version ${String(n)} of ${agentId}`, 200, false, { agentId, action: blocked });
      }
    }
    const state = n % 2 === 1 ? 'frozen' : 'active';
    this.#states.set(agentId, 'unknown');
    const { status } = await this.edge.request('POST', `/v1/agents/${agentId}/${n % 2 === 1 ? 'freeze' : 'unfreeze'}`, {
      headers,
      body: {},
    });
    if (status !== 200) return;
    this.answered += 1;
    this.#states.set(agentId, state);
    await this.#everywhere(`${agentId} is ${state}`, state === 'frozen' ? 403 : 200, state !== 'frozen', { agentId });
  }

  async #revokeKey(): Promise<void> {
    const headers = this.session;
    const made = await this.edge.request('POST', '/v1/api-keys', { headers, body: { name: 'storm' } });
    if (made.status !== 201) return;
    const { id, key } = made.json as { id: string; key: string };
    await this.#everywhere('a new key', 200, true, { key });
    const { status } = await this.edge.request('DELETE', `/v1/api-keys/${id}`, { headers });
    if (status !== 204) return;
    this.answered += 1;
    this.revoked.push(id);
    this.#revokedKeys.push(key);
    await this.#everywhere('a revoked key', 401, null, { key });
  }

  /** Checks the last answered changes again on each gateway; returns those that do not hold. */
  async stillHolds(): Promise<readonly string[]> {
    const before = this.problems.length;
    for (const [agentId, state] of this.#states) {
      if (state === 'unknown') continue;
      const status = state === 'frozen' ? 403 : 200;
      await this.#everywhere(`${agentId} is ${state} still`, status, state !== 'frozen', { agentId });
    }
    for (const key of this.#revokedKeys) await this.#everywhere('a revoked key still', 401, null, { key });
    return this.problems.slice(before);
  }

  /** Leaves every agent active. */
  async unfreeze(): Promise<void> {
    for (const agentId of this.#states.keys()) {
      await this.edge.request('POST', `/v1/agents/${agentId}/unfreeze`, { headers: this.session, body: {} });
    }
  }

  async #everywhere(
    what: string,
    status: number,
    allowed: boolean | null,
    check: { readonly agentId?: string; readonly key?: string; readonly action?: unknown },
  ): Promise<void> {
    const { agentId, key, action = CALL } = check;
    for (const [n, gateway] of this.gateways.entries()) {
      const answer = await gateway.check(action, {
        ...(agentId === undefined ? {} : { agentId }),
        ...(key === undefined ? {} : { headers: { 'x-service-key': key } }),
      });
      const said = (answer.json as { allowed?: boolean } | undefined)?.allowed;
      if (answer.status === status && (allowed === null || said === allowed)) continue;
      this.problems.push(`${what}: gateway ${n} answered ${answer.status} ${answer.text}`);
    }
  }
}

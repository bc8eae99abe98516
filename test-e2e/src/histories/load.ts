import { setTimeout as sleep } from 'node:timers/promises';
import { send, type Answer } from '../instance/request.js';
import type { Session } from '../torture/recorded.js';
import { randomCheck, randomProfile } from './actions.js';
import type { Random } from './random.js';
import type { TwoGateways } from './two-gateways.js';

const CONCURRENCY = 48;
const PAUSE_AFTER_FAILURE_MS = 100;
const CHANGE_EVERY_MS = 250;

/** Random checks of random agents at both gateways, and changes of their profiles meanwhile. */
export class HistoriesLoad {
  /** Answers that say that the check is recorded, by the id of its event: true if it was allowed. */
  readonly answers = new Map<string, boolean>();
  /** Checks without an answer, or with one that leaves open whether they are recorded. */
  open = 0;
  readonly statuses = new Map<number, number>();
  readonly #running: Promise<unknown>;
  #serial = 0;
  #stopped = false;

  constructor(
    private readonly services: TwoGateways,
    private readonly session: Session,
    private readonly agentIds: readonly string[],
    private readonly random: Random,
    private readonly checks: number,
  ) {
    const workers = Array.from({ length: CONCURRENCY }, () => this.#checkOnAndOn());
    const checked = Promise.all(workers).finally(() => (this.#stopped = true));
    this.#running = Promise.all([checked, this.#changeOnAndOn()]);
  }

  /** Resolves when as many checks as were asked for have been answered. */
  end(): Promise<unknown> {
    return this.#running;
  }

  async #checkOnAndOn(): Promise<void> {
    while (this.answers.size < this.checks) {
      const serial = (this.#serial += 1);
      const { action, headers } = randomCheck(this.random, serial);
      const agentId = this.random.of(this.agentIds);
      const ask = (): Promise<Answer | null> => this.#ask('/v1/check', { agentId, action }, headers);
      const [answer] = await Promise.all([ask(), ...(this.#isRepeated(headers) ? [ask()] : [])]);
      const status = answer?.status ?? 0;
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      if (answer === undefined || answer === null || status >= 500) {
        this.open += 1;
        await sleep(PAUSE_AFTER_FAILURE_MS);
        continue;
      }
      const { allowed } = answer.json as { allowed?: boolean };
      const eventId = answer.headers['x-event-id'];
      if (typeof eventId !== 'string' || allowed === undefined) throw new Error(`a check: ${status} ${answer.text}`);
      this.answers.set(eventId, allowed);
      if (allowed && this.random.chance(0.08))
        await this.#ask('/v1/mcp/log', { agentId, eventId, outcome: 'skipped' }, {});
    }
  }

  /** A check with a key is sometimes sent twice at the same time, which records it once. */
  #isRepeated(headers: Readonly<Record<string, string>>): boolean {
    return headers['idempotency-key'] !== undefined && this.random.chance(0.3);
  }

  async #ask(path: string, body: object, headers: Readonly<Record<string, string>>): Promise<Answer | null> {
    const { apiKey } = this.services.bootstrap;
    // The outcome of an action is taken by another service.
    const { url } = path === '/v1/check' ? this.random.of(this.services.gateways) : this.services.rest;
    return send(url, 'POST', path, { headers: { 'x-service-key': apiKey, ...headers }, body }).catch(() => null);
  }

  async #changeOnAndOn(): Promise<void> {
    while (!this.#stopped) {
      const agent = `/v1/agents/${this.random.of(this.agentIds)}`;
      if (this.random.chance(0.2)) {
        await this.#change('POST', `${agent}/freeze`, {});
        await sleep(this.random.below(500));
        await this.#change('POST', `${agent}/unfreeze`, {});
      } else {
        await this.#change('PATCH', `${agent}/profile`, randomProfile(this.random));
      }
      await sleep(CHANGE_EVERY_MS);
    }
  }

  async #change(method: string, path: string, body: object): Promise<void> {
    const headers = this.session;
    const answer = await this.services.request(method, path, { headers, body }).catch(() => null);
    // A gateway that is away, or a change at the same time; never a profile that is refused.
    if (answer !== null && answer.status === 400) throw new Error(`${method} ${path}: ${answer.text}`);
  }
}

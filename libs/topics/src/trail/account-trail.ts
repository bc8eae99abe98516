import { randomBytes } from 'node:crypto';
import type { AccountEventDraft, AccountFacts, EventEnvelope } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import { accountEvent } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { TopicContext } from '../context.js';
import type { Projection } from '../projections/projection.js';

/** Act of a person before it is an event of the account. It holds no secret: no password, token or key, no hash of one, no URL with a credential. */
export interface Act extends AccountEventDraft {
  readonly accountId: string;
}

export interface TrailContext extends Pick<TopicContext, 'counters'> {
  readonly config: { readonly anchorWindowSeconds: number | null };
}

/** Maximum delay of a new account in a service's read model, ms. */
const ACCOUNT_WAIT_MS = 5_000;

/**
 * Events of acts, in their order, at one time of the counters' clock. Their ids are made here.
 * @param cadenceOf length of the windows of an account, seconds
 * @throws Error if the counters cannot be reached
 */
export async function accountEvents(
  acts: readonly Act[],
  counters: TrailContext['counters'],
  cadenceOf: (accountId: string) => Promise<number>,
): Promise<readonly EventEnvelope[]> {
  if (acts.length === 0) return [];
  const occurredAtMs = await counters.now();
  const events: EventEnvelope[] = [];
  for (const { accountId, ...draft } of acts) {
    const cadenceSeconds = await cadenceOf(accountId);
    const entropy = { id: randomBytes(10), salt: randomBytes(16) };
    events.push(accountEvent(draft, { accountId, cadenceSeconds, occurredAtMs, entropy }, nodeCrypto.sha256));
  }
  return events;
}

/** Makes events of what people did in a service that follows the topic `accounts` (FORMAT.md, "Events of an account"). */
export class AccountTrail {
  constructor(
    private readonly context: TrailContext,
    private readonly accounts: Pick<Projection<AccountFacts>, 'get' | 'waitFor'>,
  ) {}

  /**
   * The records of acts, in their order, for the outbox in the transaction of the change. Their ids are made here: a record
   * that is appended twice is one event.
   * @throws Error if the counters, whose clock gives the time, cannot be reached, or an account is unknown
   */
  async records(...acts: readonly Act[]): Promise<readonly NewRecord[]> {
    const events = await accountEvents(acts, this.context.counters, (accountId) => this.#cadenceOf(accountId));
    return events.map((event) => ({ topic: 'agent-events', key: event.leaf.agentId, value: JSON.stringify(event) }));
  }

  async #cadenceOf(accountId: string): Promise<number> {
    const { anchorWindowSeconds } = this.context.config;
    if (anchorWindowSeconds !== null) return anchorWindowSeconds;
    await this.accounts.waitFor(accountId, 1, ACCOUNT_WAIT_MS);
    const account = this.accounts.get(accountId);
    if (account === undefined) throw new Error(`account ${accountId} is not known`);
    return account.value.cadenceSeconds;
  }
}

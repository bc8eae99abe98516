import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { needsOwnKey, ownKeyNeeded } from '@countersign/contracts';
import type { AccountFacts, OutcomeReport } from '@countersign/contracts';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { HttpRefusal } from '@countersign/http-edge';
import type { ApiKeyCaller } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import { appendAndStore } from '../append-event/append-and-store.js';
import { NotCaughtUp, type EventIntake } from '../ingest/event-intake.js';
import type { StoredEvent } from '../domain/event-record.js';
import type { OwnedAgent } from '../domain/owned-agent.js';
import type { EventStore } from '../store/port.js';
import { NOTHING_RETURNED, outcomeEvent, outcomeEventId, returnedBy } from './outcome-event.js';
import type { Returned } from './outcome-event.js';

const WAIT_MS = 2_000;
const AGAIN = { 'retry-after': '1' };
const NO_CHECK = 'no such check of this agent';
const NOT_RECORDED = {
  logged: 'an outcome was not taken by the event log',
  refused: 'the outcome could not be made durable: try again',
  behind: 'the outcome is recorded, and not yet known to be the first: ask again',
};

/** Agents by id: what a key may do with one. */
export type OutcomeAgents = Pick<Projection<OwnedAgent>, 'get' | 'caughtUp'>;

/** Whose key reports. */
type Reporter = Pick<ApiKeyCaller, 'accountId' | 'apiKeyId' | 'powers'>;

/**
 * Takes what became of checks. The first report of a check in the log is its outcome: every report of it has the same
 * event id, which counts once, so no lock and no claim is needed.
 */
export class OutcomeHandler {
  readonly #context: ServiceContext;
  readonly #store: EventStore;
  readonly #intake: EventIntake;
  readonly #accounts: Projection<AccountFacts>;
  readonly #agents: OutcomeAgents;
  /** Checks that are reported here at the moment: of two reports that are alike, one comes after the other. */
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(
    context: ServiceContext,
    store: EventStore,
    intake: EventIntake,
    accounts: Projection<AccountFacts>,
    agents: OutcomeAgents,
  ) {
    this.#context = context;
    this.#store = store;
    this.#intake = intake;
    this.#accounts = accounts;
    this.#agents = agents;
  }

  /**
   * Resolves once the outcome is in the archive, with its event id.
   * @throws HttpRefusal 404 no such check of this agent and account, or the key is not for the agent; 409 reported before; 503 not recorded, or not known
   * to be
   */
  async report(caller: Reporter, { agentId, eventId, outcome, detail }: OutcomeReport): Promise<string> {
    const check = await this.#check(caller.accountId, agentId.toLowerCase(), eventId?.toLowerCase() ?? null);
    if (check === null) throw new HttpRefusal(404, NO_CHECK);
    await this.#requireKeyOf(check.leaf.agentId, caller);
    const { eventId: id } = check.leaf;
    const before = this.#underWay.get(id) ?? Promise.resolve();
    const own = before
      .catch(() => undefined)
      .then(() => this.#record(caller, check, { outcome, detail: detail ?? null }));
    this.#underWay.set(id, own);
    try {
      return await own;
    } finally {
      if (this.#underWay.get(id) === own) this.#underWay.delete(id);
    }
  }

  /** Who registered an agent never changes, so any version of its record says it. */
  async #requireKeyOf(agentId: string, { powers }: Reporter): Promise<void> {
    if (this.#agents.get(agentId) === undefined) await this.#agents.caughtUp();
    const agent = this.#agents.get(agentId)?.value;
    if (agent === undefined) throw new HttpRefusal(404, NO_CHECK);
    if (needsOwnKey(agent, powers)) throw new HttpRefusal(404, ownKeyNeeded(agentId));
  }

  async #record(
    { accountId, apiKeyId }: Reporter,
    check: StoredEvent,
    said: { readonly outcome: OutcomeReport['outcome']; readonly detail: string | null },
  ): Promise<string> {
    const { counters, config } = this.#context;
    const id = outcomeEventId(check.leaf.eventId, nodeCrypto.sha256);
    if ((await this.#store.find(accountId, id)) !== null) throw reportedBefore();
    const cadenceSeconds = config.anchorWindowSeconds ?? this.#accounts.get(accountId)?.value.cadenceSeconds;
    if (cadenceSeconds === undefined) throw new HttpRefusal(503, 'the account is not known here yet: try again', AGAIN);
    const nowMs = await counters.now();
    const returned = said.outcome === 'skipped' ? await this.#returned(check, nowMs) : NOTHING_RETURNED;
    const envelope = outcomeEvent(
      { check: check.leaf, ...said, accountId, apiKeyId, cadenceSeconds, ...returned },
      nowMs,
      randomBytes,
      nodeCrypto.sha256,
    );
    await appendAndStore(this.#context, this.#intake, envelope, NOT_RECORDED);
    const stored = await this.#store.find(accountId, id);
    if (!isDeepStrictEqual(stored?.leaf, envelope.leaf)) throw reportedBefore();
    return id;
  }

  async #returned({ leaf, sequence }: StoredEvent, nowMs: number): Promise<Returned> {
    const [archived] = await this.#store.range(leaf.agentId, sequence, sequence, 1);
    const referring = await this.#store.referring([leaf.eventId]);
    if (archived === undefined) return NOTHING_RETURNED;
    return returnedBy(
      archived.envelope,
      'skipped',
      referring.map(({ envelope }) => envelope.leaf),
      nowMs,
    );
  }

  /** A check that was answered just before may not be stored yet: then what the log holds now is waited for. */
  async #check(accountId: string, agentId: string, eventId: string | null): Promise<StoredEvent | null> {
    if (eventId === null) {
      await this.#caughtUp();
      const filter = { agentId, type: 'action.checked' } as const;
      return (await this.#store.list(accountId, filter, { limit: 1, offset: 0 })).events[0] ?? null;
    }
    let found = await this.#store.find(accountId, eventId);
    if (found === null) {
      await this.#caughtUp();
      found = await this.#store.find(accountId, eventId);
    }
    if (found === null || found.leaf.type !== 'action.checked' || found.leaf.agentId !== agentId) return null;
    return found;
  }

  async #caughtUp(): Promise<void> {
    const ends = await this.#context.eventLog.endOffsets('agent-events');
    await this.#intake.caughtUp(ends, WAIT_MS).catch((error: unknown) => {
      if (!(error instanceof NotCaughtUp)) throw error;
      throw new HttpRefusal(503, 'the archive has not caught up with the log: try again', AGAIN);
    });
  }
}

function reportedBefore(): HttpRefusal {
  return new HttpRefusal(409, 'an outcome of this check was reported before');
}

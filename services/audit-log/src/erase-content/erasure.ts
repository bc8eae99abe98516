import { randomBytes } from 'node:crypto';
import type { AccountFacts, LeafEvent } from '@countersign/contracts';
import { opensAnything } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { HttpRefusal, type SessionCaller } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import type { StoredEvent } from '../domain/event-record.js';
import { appendAndStore } from '../append-event/append-and-store.js';
import { ContentHeld, TooLate, type ErasureGate } from '../legal-holds/erasure-gate.js';
import { heldRefusal } from '../legal-holds/held-refusal.js';
import type { Reach } from '../legal-holds/legal-hold.js';
import type { EventIntake } from '../ingest/event-intake.js';
import type { EventStore } from '../store/port.js';
import { HoldsMissing } from '../store/hold-documents.js';
import { erasureEvent } from './erasure-event.js';

const WAIT_MS = 2_000;
/** How long stored packages may take to be withdrawn before the caller is to ask again. */
const COPIES_WAIT_MS = 8_000;
const ASK_MS = 50;
const HOLDS_MISSING = 'legal holds are missing in the store, so nothing is erased until an operator has restored it';
const NOT_CARRIED_OUT = {
  logged: 'an erasure was not taken by the event log',
  refused: 'the erasure could not be made durable: try again',
  behind: 'the erasure is recorded and not yet carried out: ask again',
};

/** Events that refer to each other are followed for this many: an outcome to its check, a comment to its approval, a follow-up to its refused check. */
const MOST_REFERRED = 8;

type Eraser = Pick<SessionCaller, 'accountId' | 'userId'>;

/** Parts of audit-log that an erasure works with. */
export interface ErasurePlace {
  readonly store: EventStore;
  readonly intake: EventIntake;
  readonly accounts: Projection<AccountFacts>;
  readonly gate: ErasureGate;
}

/**
 * Erases content by one durable write: the event `content.erased`. The archive deletes when the event comes back to it,
 * as every rebuild and restore will, and keepers of copies are informed. Repeated, it waits for the rest of the work.
 */
export class Erasure {
  readonly #context: ServiceContext;
  readonly #store: EventStore;
  readonly #intake: EventIntake;
  readonly #accounts: Projection<AccountFacts>;
  readonly #gate: ErasureGate;
  readonly #copiesWaitMs: number;

  constructor(context: ServiceContext, { store, intake, accounts, gate }: ErasurePlace, copiesWaitMs = COPIES_WAIT_MS) {
    this.#gate = gate;
    this.#context = context;
    this.#store = store;
    this.#intake = intake;
    this.#accounts = accounts;
    this.#copiesWaitMs = copiesWaitMs;
  }

  /**
   * Resolves when neither the archive nor a stored package opens the content any more.
   * @param reason committed in the event; `null`: none was given
   * @throws HttpRefusal 404 for another account's event, 409 for content that legal holds keep, 503 when the erasure is not durable or not yet carried out
   */
  async erase(by: Eraser, eventId: string, reason: string | null): Promise<void> {
    const event = await this.#find(by.accountId, eventId);
    if (event === null) throw new HttpRefusal(404, 'no such event');
    if ((await this.#store.orderState(eventId)) === 'none') {
      if (!(await this.#hadContent(event))) return;
      await this.#order(by, event, reason);
    }
    await this.#copiesGone(eventId);
  }

  /** Also content that retention took: an earlier package may open it. */
  async #hadContent({ leaf, sequence, openings }: StoredEvent): Promise<boolean> {
    if (opensAnything(openings)) return true;
    const [archived] = await this.#store.range(leaf.agentId, sequence, sequence, 1);
    return archived?.erased === true;
  }

  async #order({ accountId, userId }: Eraser, { leaf }: StoredEvent, reason: string | null): Promise<void> {
    const account = this.#accounts.get(accountId);
    const cadenceSeconds = this.#context.config.anchorWindowSeconds ?? account?.value.cadenceSeconds;
    if (cadenceSeconds === undefined) throw new HttpRefusal(503, 'the account is not known here yet: try again');
    const envelope = erasureEvent(
      { accountId, userId, agentId: leaf.agentId, eventId: leaf.eventId, reason, cadenceSeconds },
      await this.#context.counters.now(),
      randomBytes,
      nodeCrypto.sha256,
    );
    const reach = await this.#reachOf(accountId, leaf);
    try {
      await this.#gate.carryOut(reach, envelope.leaf.eventId, () =>
        appendAndStore(this.#context, this.#intake, envelope, NOT_CARRIED_OUT),
      );
    } catch (error) {
      if (error instanceof ContentHeld) throw heldRefusal(error);
      if (error instanceof HoldsMissing) throw new HttpRefusal(503, HOLDS_MISSING);
      if (error instanceof TooLate) throw new HttpRefusal(503, NOT_CARRIED_OUT.refused, { 'retry-after': '1' });
      throw error;
    }
  }

  /** An event and those that it refers to: what refers to a held event is held. */
  async #reachOf(accountId: string, leaf: LeafEvent): Promise<Reach> {
    const found: { readonly agentId: string; readonly time: number }[] = [];
    for (let at: LeafEvent | undefined = leaf; at !== undefined && found.length < MOST_REFERRED;) {
      found.push({ agentId: at.agentId, time: Date.parse(at.occurredAt) });
      at = at.refersTo === null ? undefined : (await this.#store.leaves([at.refersTo]))[0];
    }
    const { agentId } = leaf;
    const times = found.filter((one) => one.agentId === agentId).map(({ time }) => time);
    const referred = found.filter((one) => one.agentId !== agentId);
    return { accountId, agentId, times, ...(referred.length === 0 ? {} : { referred }) };
  }

  async #copiesGone(eventId: string): Promise<void> {
    const until = performance.now() + this.#copiesWaitMs;
    while ((await this.#store.orderState(eventId)) === 'pending') {
      if (performance.now() > until) {
        throw new HttpRefusal(
          503,
          'the content is erased from the archive; stored packages that open it are still to be withdrawn: ask again',
          { 'retry-after': '1' },
        );
      }
      await new Promise((resolve) => setTimeout(resolve, ASK_MS));
    }
  }

  /** An event that was answered just before may not be stored yet: then what the log holds now is waited for. */
  async #find(accountId: string, eventId: string): Promise<StoredEvent | null> {
    const found = await this.#store.find(accountId, eventId);
    if (found !== null) return found;
    await this.#intake
      .caughtUp(await this.#context.eventLog.endOffsets('agent-events'), WAIT_MS)
      .catch(() => undefined);
    return this.#store.find(accountId, eventId);
  }
}

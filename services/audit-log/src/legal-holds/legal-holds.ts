import { randomBytes } from 'node:crypto';
import type { LegalHoldRecord, NewHoldBody } from '@countersign/contracts';
import { uuidV7 } from '@countersign/evidence';
import { HttpRefusal, type SessionCaller } from '@countersign/http-edge';
import type { ActRecorder, ServiceContext } from '@countersign/service-kit';
import type { HoldStore } from '../store/hold-port.js';
import { holdPlaced, holdReleased } from './acts.js';
import { holdRecord, type LegalHold } from './legal-hold.js';
import { Settlement, type CarriedOut } from './settlement.js';

/** Holds that an account has at a time without those that are released. */
export const MOST_IN_FORCE = 100;

const SETTLES_WITHIN_MS = 5_000;
const ASK_MS = 50;
const NO_HOLD = 'no such legal hold';

type Caller = Pick<SessionCaller, 'accountId' | 'userId' | 'email' | 'role'>;

/** Where agents are looked up. */
export interface OwnedAgents {
  /** Account of an agent; `null`: not known here. */
  accountOf(agentId: string): string | null;
  /** Resolves once all agents that were registered until now are known here. */
  caughtUp(): Promise<void>;
}

/** Events of who placed and released holds. */
export interface HoldTrail {
  readonly recorded: ActRecorder;
  /** Begins to publish what the outbox holds; it is durable there, and stays until the log has taken it. */
  flush(): void;
}

/** The account's legal holds: place, list, read, release. */
export class LegalHolds {
  readonly #settlement: Settlement;

  constructor(
    private readonly context: Pick<ServiceContext, 'counters' | 'log'>,
    private readonly store: HoldStore,
    private readonly agents: OwnedAgents,
    private readonly trail: HoldTrail,
    archive: CarriedOut,
    private readonly settlesWithinMs = SETTLES_WITHIN_MS,
  ) {
    this.#settlement = new Settlement(context, store, archive);
  }

  /**
   * From its answer on no erasure of what is held begins. It waits until the archive has carried out those that had begun,
   * and is `settling` where that is not known in time.
   * @throws HttpRefusal 400 by range, 404 by agent, 409 by name and number, 503
   */
  async place({ accountId, userId, email }: Caller, body: NewHoldBody): Promise<LegalHoldRecord> {
    const { fromMs, toMs } = rangeOf(body);
    const agentIds = body.agents === undefined ? null : [...new Set(body.agents.map((id) => id.toLowerCase()))];
    await this.#requireAgents(accountId, agentIds ?? []);
    const nowMs = await this.context.counters.now();
    const hold: LegalHold = {
      ...{ id: uuidV7(nowMs, randomBytes(10)), accountId, name: body.name.trim(), reason: body.reason.trim() },
      ...{ agentIds, fromMs, toMs, placedAt: new Date(nowMs).toISOString() },
      ...{ placedBy: { id: userId, email }, released: null },
    };
    const placing = await this.store.place(hold, MOST_IN_FORCE, await this.trail.recorded(holdPlaced(hold)));
    if (placing === 'name-taken')
      throw new HttpRefusal(409, `a legal hold named "${hold.name}" is not released: choose another name`);
    if (placing === 'full')
      throw new HttpRefusal(
        409,
        `the account has ${MOST_IN_FORCE} legal holds that are not released, which is the most: release one of them`,
      );
    this.trail.flush();
    this.context.log.info({ accountId, holdId: hold.id }, 'a legal hold was placed');
    return holdRecord(hold, await this.#settles(hold));
  }

  /** @throws HttpRefusal 404, 409 where it was released before */
  async release({ accountId, userId, email }: Caller, id: string, reason: string): Promise<LegalHoldRecord> {
    const at = new Date(await this.context.counters.now()).toISOString();
    const hold = await this.store.find(accountId, id);
    if (hold === null) throw new HttpRefusal(404, NO_HOLD);
    const release = { at, by: { id: userId, email }, reason: reason.trim() };
    const events = hold.released === null ? await this.trail.recorded(holdReleased(hold, userId, release.reason)) : [];
    const released = await this.store.release(accountId, id, release, events);
    if (released === null) throw new HttpRefusal(404, NO_HOLD);
    if (released === 'released-before') throw new HttpRefusal(409, 'the legal hold was released before');
    this.trail.flush();
    this.context.log.info({ accountId, holdId: id }, 'a legal hold was released');
    return holdRecord(released, true);
  }

  /** @throws HttpRefusal 403 for members, 404 */
  async get(caller: Caller, id: string): Promise<LegalHoldRecord> {
    requireReader(caller);
    const hold = await this.store.find(caller.accountId, id);
    if (hold === null) throw new HttpRefusal(404, NO_HOLD);
    return holdRecord(hold, await this.#isSettled(hold));
  }

  /** @throws HttpRefusal 403 for members */
  async list(caller: Caller, limit: number, offset: number): Promise<object> {
    requireReader(caller);
    const { accountId } = caller;
    const { holds: found, total } = await this.store.list(accountId, limit, offset);
    const settled = await this.#settlement.settledOf(accountId, found);
    return { holds: found.map((hold) => holdRecord(hold, settled.has(hold.id))), total, limit, offset };
  }

  async #requireAgents(accountId: string, agentIds: readonly string[]): Promise<void> {
    const isUnknown = (id: string): boolean => this.agents.accountOf(id) !== accountId;
    if (!agentIds.some(isUnknown)) return;
    await this.agents.caughtUp();
    const unknown = agentIds.find(isUnknown);
    if (unknown !== undefined) throw new HttpRefusal(404, `no such agent: ${unknown}`);
  }

  /** Waits for what was ordered before the hold; `false` where that is not carried out in time. */
  async #settles(hold: LegalHold): Promise<boolean> {
    const until = performance.now() + this.settlesWithinMs;
    for (;;) {
      if (await this.#isSettled(hold)) return true;
      if (performance.now() > until) return false;
      await new Promise((resolve) => setTimeout(resolve, ASK_MS));
    }
  }

  async #isSettled(hold: LegalHold): Promise<boolean> {
    return (await this.#settlement.settledOf(hold.accountId, [hold])).has(hold.id);
  }
}

/** Holds are for those who answer for the account: they say what it is in dispute about. */
function requireReader({ role }: Caller): void {
  if (role === 'member') throw new HttpRefusal(403, 'legal holds are read by admins and auditors');
}

/** @throws HttpRefusal 400 */
function rangeOf({ from, to }: NewHoldBody): { readonly fromMs: number | null; readonly toMs: number | null } {
  const fromMs = from === undefined ? null : Date.parse(from);
  // Whole milliseconds that begin before the end.
  const toMs = to === undefined ? null : Date.parse(to) + (/\.\d{3}\d*[1-9]/.test(to) ? 1 : 0);
  if (Number.isNaN(fromMs)) throw new HttpRefusal(400, 'from is no time');
  if (Number.isNaN(toMs)) throw new HttpRefusal(400, 'to is no time');
  if (fromMs !== null && toMs !== null && fromMs >= toMs) throw new HttpRefusal(400, 'from must be before to');
  return { fromMs, toMs };
}

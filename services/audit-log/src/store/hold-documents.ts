import {
  Conflict,
  type Collection,
  type DocumentStore,
  type Reads,
  type Transaction,
} from '@countersign/document-store';
import type { NewRecord, Offsets } from '@countersign/event-log';
import type { OutboxRow, RowId } from '@countersign/topics';
import { holds, type LegalHold, type Reach } from '../legal-holds/legal-hold.js';
import {
  UNDER_WAY_MS,
  type HoldStore,
  type Placing,
  type Release,
  type UnderWay,
  type Unsettled,
} from './hold-port.js';

// Types, because interfaces have no index signature.
type HoldKeys = { accountId: string; placedAt: string; isReleased: boolean };

export const HOLDS: Collection<LegalHold, HoldKeys> = {
  name: 'holds',
  keysOf: ({ accountId, placedAt, released }) => ({ accountId, placedAt, isReleased: released !== null }),
  keys: { accountId: 'text', placedAt: 'text', isReleased: 'boolean' },
  keysVersion: 1,
  indexes: [
    ['accountId', 'placedAt'],
    ['accountId', 'isReleased'],
  ],
  isSealed: true,
};

/** Orders the holds and erasures of an account: each of them writes it. */
export interface Gate {
  /** Holds that were ever placed. */
  readonly placed: number;
  readonly underWay: readonly UnderWay[];
  readonly unsettled: readonly Unsettled[];
}

/** By account id. */
export const GATES: Collection<Gate, Record<string, never>> = {
  name: 'hold_gates',
  keysOf: () => ({}),
  keys: {},
  keysVersion: 1,
  indexes: [],
  isSealed: true,
};

export const COLLECTIONS = [HOLDS, GATES] as unknown as readonly Collection<object>[];

const ALL = 2 ** 31 - 1;
const ATTEMPTS = 20;
const NO_GATE = { version: 0, body: { placed: 0, underWay: [], unsettled: [] } as Gate };

/** Holds of an account are missing in the store: nothing is erased until it is restored. */
export class HoldsMissing extends Error {
  override readonly name = 'HoldsMissing';
}

/**
 * {@link HoldStore} as documents. The gate of an account is read and written by each transaction that places a hold or
 * begins an erasure, so these follow one another.
 */
export class HoldDocuments implements HoldStore {
  constructor(private readonly documents: DocumentStore) {}

  place(hold: LegalHold, most: number, events: readonly NewRecord[] = []): Promise<Placing> {
    const { id, accountId, name } = hold;
    return this.#transact(async (transaction) => {
      const { version, body } = await gateOf(transaction, accountId);
      const others = await inForceOf(transaction, accountId);
      if (others.some((other) => other.name === name)) return 'name-taken';
      if (others.length >= most) return 'full';
      await transaction.put(HOLDS, [{ id, version: 1, body: hold }]);
      const gate = { ...body, placed: body.placed + 1, unsettled: [...body.unsettled, { id, ends: null }] };
      await transaction.put(GATES, [{ id: accountId, version: version + 1, body: gate }]);
      await transaction.publish(events);
      return 'placed';
    });
  }

  release(
    accountId: string,
    id: string,
    released: Release,
    events: readonly NewRecord[] = [],
  ): Promise<LegalHold | 'released-before' | null> {
    return this.#transact(async (transaction) => {
      const stored = await transaction.get(HOLDS, id);
      if (stored?.body.accountId !== accountId) return null;
      if (stored.body.released !== null) return 'released-before';
      const body = { ...stored.body, released };
      await transaction.put(HOLDS, [{ id, version: stored.version + 1, body }]);
      const { version, body: gate } = await gateOf(transaction, accountId);
      // Written in any case: events of the account are published in the order of its transactions.
      const unsettled = gate.unsettled.filter((one) => one.id !== id);
      await transaction.put(GATES, [{ id: accountId, version: version + 1, body: { ...gate, unsettled } }]);
      await transaction.publish(events);
      return body;
    });
  }

  async find(accountId: string, id: string): Promise<LegalHold | null> {
    const hold = (await this.documents.get(HOLDS, id))?.body ?? null;
    return hold?.accountId === accountId ? hold : null;
  }

  async list(
    accountId: string,
    limit: number,
    offset: number,
  ): Promise<{ readonly holds: readonly LegalHold[]; readonly total: number }> {
    const where = { accountId };
    const [found, total] = await Promise.all([
      this.documents.find(HOLDS, { where, by: 'placedAt', descending: true, limit, offset }),
      this.documents.count(HOLDS, where),
    ]);
    return { holds: found.map(({ body }) => body), total };
  }

  inForce(accountId: string): Promise<readonly LegalHold[]> {
    return this.#transact(async (transaction) => {
      const { body } = await gateOf(transaction, accountId);
      return inForceOf(transaction, accountId, body);
    });
  }

  begin(reach: Reach, id: string, nowMs: number): Promise<readonly LegalHold[]> {
    const { accountId } = reach;
    return this.#transact(async (transaction) => {
      const { version, body } = await gateOf(transaction, accountId);
      const keeping = (await inForceOf(transaction, accountId, body)).filter((hold) => holds(hold, reach));
      if (keeping.length > 0) return keeping;
      const underWay = [...body.underWay.filter(isUnderWay(nowMs)), { ...reach, id, beganMs: nowMs }];
      await transaction.put(GATES, [{ id: accountId, version: version + 1, body: { ...body, underWay } }]);
      return [];
    });
  }

  end(accountId: string, id: string): Promise<void> {
    return this.#transact(async (transaction) => {
      const { version, body } = await gateOf(transaction, accountId);
      const underWay = body.underWay.filter((one) => one.id !== id);
      if (underWay.length === body.underWay.length) return;
      await transaction.put(GATES, [{ id: accountId, version: version + 1, body: { ...body, underWay } }]);
    });
  }

  async underWay(accountId: string, nowMs: number): Promise<readonly UnderWay[]> {
    return (await gateOf(this.documents, accountId)).body.underWay.filter(isUnderWay(nowMs));
  }

  unsettled(accountId: string): Promise<readonly Unsettled[]> {
    return this.#transact(async (transaction) => {
      const { body } = await gateOf(transaction, accountId);
      await requireAll(transaction, accountId, body);
      return body.unsettled;
    });
  }

  settlesAt(accountId: string, id: string, ends: Offsets): Promise<void> {
    return this.#transact(async (transaction) => {
      const { version, body } = await gateOf(transaction, accountId);
      if (!body.unsettled.some((one) => one.id === id && one.ends === null)) return;
      const unsettled = body.unsettled.map((one) => (one.id === id ? { id, ends } : one));
      await transaction.put(GATES, [{ id: accountId, version: version + 1, body: { ...body, unsettled } }]);
    });
  }

  settled(accountId: string, id: string): Promise<void> {
    return this.#transact((transaction) => withoutUnsettled(transaction, accountId, id));
  }

  pending(limit: number): Promise<readonly OutboxRow[]> {
    return this.documents.pending(limit);
  }

  sent(ids: readonly RowId[]): Promise<void> {
    return this.documents.sent(ids);
  }

  close(): Promise<void> {
    return this.documents.close();
  }

  /** Repeats what another transaction of the account was ahead of. */
  async #transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.documents.transact(work);
      } catch (error) {
        if (!(error instanceof Conflict) || attempt >= ATTEMPTS) throw error;
      }
    }
  }
}

function isUnderWay(nowMs: number): (one: UnderWay) => boolean {
  return ({ beganMs }) => nowMs - beganMs <= UNDER_WAY_MS;
}

async function gateOf(reads: Reads, accountId: string): Promise<{ readonly version: number; readonly body: Gate }> {
  return (await reads.get(GATES, accountId)) ?? NO_GATE;
}

async function withoutUnsettled(transaction: Transaction, accountId: string, id: string): Promise<void> {
  const { version, body } = await gateOf(transaction, accountId);
  const unsettled = body.unsettled.filter((one) => one.id !== id);
  if (unsettled.length === body.unsettled.length) return;
  await transaction.put(GATES, [{ id: accountId, version: version + 1, body: { ...body, unsettled } }]);
}

/** @throws HoldsMissing where the account has another number of holds than its gate says */
async function requireAll(reads: Reads, accountId: string, { placed }: Gate): Promise<void> {
  const stored = await reads.count(HOLDS, { accountId });
  if (stored === placed) return;
  throw new HoldsMissing(`account ${accountId} has ${stored} legal holds in the store, and ${placed} were placed`);
}

/** @throws HoldsMissing */
async function inForceOf(reads: Reads, accountId: string, gate?: Gate): Promise<readonly LegalHold[]> {
  if (gate !== undefined) await requireAll(reads, accountId, gate);
  const found = await reads.find(HOLDS, { where: { accountId, isReleased: false }, limit: ALL });
  return found.map(({ body }) => body);
}

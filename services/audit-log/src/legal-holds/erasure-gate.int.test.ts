import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LegalHoldRecord } from '@countersign/contracts';
import type { Offsets } from '@countersign/event-log';
import type { ServiceContext } from '@countersign/service-kit';
import type { Act } from '@countersign/topics';
import { openSqliteHoldStore } from '../store/open-holds.js';
import { UNDER_WAY_MS, type HoldStore } from '../store/hold-port.js';
import { ACCOUNT, START } from '../testing/envelopes.js';
import { reach } from '../testing/legal-holds.js';
import { ContentHeld, ErasureGate, TooLate } from './erasure-gate.js';
import { heldRefusal } from './held-refusal.js';
import { LegalHolds } from './legal-holds.js';

const ANA = { accountId: ACCOUNT, userId: 'user-ana', email: 'ana@example.com', role: 'admin' } as const;
const EVERYTHING = { name: 'Case 1', reason: 'counsel asked for it' };

describe('an erasure and a hold', () => {
  const directory = mkdtempSync(join(tmpdir(), 'erasure-gate-'));
  let store: HoldStore;
  let holds: LegalHolds;
  let another: () => LegalHolds;
  let nowMs = START;
  let ranMs = 0;
  let gate: ErasureGate;
  /** Ends of the log and offsets that the archive has carried out. */
  let log: Record<number, number> | Error;
  let archived: Record<number, number>;
  /** Recorded acts of people. */
  let recorded: Act[];

  beforeEach(async () => {
    store = await openSqliteHoldStore(join(directory, `${Math.random()}.db`));
    const context = {
      counters: { now: async () => nowMs },
      log: { info: () => undefined, warn: () => undefined },
    } as unknown as ServiceContext;
    [log, archived] = [{ 0: 4, 1: 0 }, { 0: 4 }];
    const archive = {
      ends: async () => (log instanceof Error ? Promise.reject(log) : log),
      hasPassed: async (ends: Offsets) => Object.entries(ends).every(([p, end]) => (archived[Number(p)] ?? 0) >= end),
    };
    const agents = {
      accountOf: () => ACCOUNT,
      caughtUp: async () => undefined,
    };
    recorded = [];
    const trail = {
      recorded: async (act: Act) => {
        const record = { topic: 'agent-events', key: 'stream', value: JSON.stringify(act) } as const;
        recorded.push(act);
        return [record];
      },
      flush: () => undefined,
    };
    /** As another instance would. */
    another = () => new LegalHolds(context, store, agents, trail, archive, 300);
    holds = another();
    gate = new ErasureGate(context, store, () => ranMs);
  });
  afterEach(() => store.close());
  afterAll(() => rmSync(directory, { recursive: true }));

  it('of a hold that is placed and released leave an event each, and refused ones none', async () => {
    const { id } = await holds.place(ANA, { ...EVERYTHING, from: '2026-01-01T00:00:00Z' });
    await expect(holds.place(ANA, EVERYTHING)).rejects.toThrow('choose another name');
    await holds.release(ANA, id, 'closed');
    await expect(holds.release(ANA, id, 'again')).rejects.toThrow('released before');
    await expect(holds.release(ANA, 'unknown', 'x')).rejects.toThrow('no such legal hold');
    const by = { kind: 'user', id: ANA.userId };
    const rows = await store.pending(9);
    expect(rows.map(({ record }) => JSON.parse(record.value) as unknown)).toEqual([
      {
        ...{ accountId: ACCOUNT, type: 'account.legal_hold_placed', by },
        content: { hold: { id, from: '2026-01-01T00:00:00.000Z' }, name: 'Case 1', reason: EVERYTHING.reason },
      },
      {
        ...{ accountId: ACCOUNT, type: 'account.legal_hold_released', by },
        content: { hold: { id }, name: 'Case 1', reason: 'closed' },
      },
    ]);
    expect(recorded.map(({ type }) => type)).toContain('account.legal_hold_released');
    await store.sent(rows.map((row) => row.id));
    expect(await store.pending(9)).toEqual([]);
  });

  it('that had begun before it is waited for, and nothing else begins meanwhile', async () => {
    let finish = (): void => undefined;
    const sent = new Promise<void>((resolve) => (finish = resolve));
    let began = (): void => undefined;
    const begun = new Promise<void>((resolve) => (began = resolve));
    const erasure = gate.carryOut(reach(1, START), 'first', () => {
      began();
      return sent;
    });
    await begun;
    let isPlaced = false;
    const placing = holds.place(ANA, EVERYTHING).then((hold) => {
      isPlaced = true;
      return hold;
    });
    while ((await store.inForce(ACCOUNT)).length === 0) await new Promise((resolve) => setImmediate(resolve));
    const second = jest.fn(async () => undefined);
    await expect(gate.carryOut(reach(1, START), 'second', second)).rejects.toThrow(ContentHeld);
    expect(second).not.toHaveBeenCalled();
    expect(isPlaced).toBe(false);
    finish();
    await erasure;
    expect((await placing).state).toBe('in_force');
  });

  it('whose end is not known leaves the hold settling for a minute', async () => {
    const inDoubt = gate.carryOut(reach(1, START), 'in doubt', () => Promise.reject(new Error('no answer')));
    await expect(inDoubt).rejects.toThrow('no answer');
    const hold = await holds.place(ANA, EVERYTHING);
    expect(hold.state).toBe('settling');
    const { holds: listed } = (await holds.list(ANA, 9, 0)) as { readonly holds: readonly LegalHoldRecord[] };
    expect(listed.map(({ state }) => state)).toEqual(['settling']);
    nowMs += UNDER_WAY_MS + 1;
    expect((await holds.get(ANA, hold.id)).state).toBe('in_force');
  });

  it('whose registration has expired leaves the hold settling until the archive has carried it out', async () => {
    const work = async (): Promise<never> => {
      log = { 0: 5, 1: 0 };
      throw new Error('the archive is behind');
    };
    await expect(gate.carryOut(reach(1, START), 'behind', work)).rejects.toThrow('is behind');
    const early = await holds.place(ANA, EVERYTHING);
    nowMs += UNDER_WAY_MS + 1;
    expect((await holds.get(ANA, early.id)).state).toBe('settling');
    const late = await holds.place(ANA, { ...EVERYTHING, name: 'Case 2' });
    expect(late.state).toBe('settling');
    // What is sent later is not waited for.
    log = { 0: 9, 1: 3 };
    archived = { 0: 5 };
    for (const { id } of [early, late]) expect((await another().get(ANA, id)).state).toBe('in_force');
    // It is known from then on.
    [log, archived] = [new Error('no log'), {}];
    const { holds: listed } = (await another().list(ANA, 9, 0)) as {
      readonly holds: readonly LegalHoldRecord[];
    };
    expect(listed.map(({ state }) => state)).toEqual(['in_force', 'in_force']);
  });

  it('of which nothing is known leaves the hold settling', async () => {
    const ends = log;
    for (const [name, unknown] of [
      ['down', new Error('no log')],
      ['without a partition', {}],
    ] as const) {
      log = unknown;
      const { id, state } = await holds.place(ANA, { ...EVERYTHING, name });
      expect(state).toBe('settling');
      expect((await holds.get(ANA, id)).state).toBe('settling');
      log = ends;
      expect((await holds.get(ANA, id)).state).toBe('in_force');
    }
  });

  it('is not sent by a process that was stopped after it had registered it', async () => {
    const stopped = new ErasureGate(
      { counters: { now: async () => START }, log: { warn: () => undefined } } as unknown as ServiceContext,
      { ...boundTo(store), begin: async (...all) => ((ranMs += 10_001), store.begin(...all)) },
      () => ranMs,
    );
    const work = jest.fn(async () => undefined);
    await expect(stopped.carryOut(reach(1, START), 'late', work)).rejects.toThrow(TooLate);
    expect(work).not.toHaveBeenCalled();
  });

  it('is refused with the names of the holds', async () => {
    const { id } = await holds.place(ANA, EVERYTHING);
    const refused = await gate.carryOut(reach(1, START), 'e', async () => undefined).catch((error: unknown) => error);
    const { status, message } = heldRefusal(refused as ContentHeld);
    expect([status, message]).toEqual([409, expect.stringContaining(`held by "Case 1" (${id})`)]);
    expect(message).toContain(`release the hold first (POST /v1/legal-holds/{id}/release)`);
    for (const n of [2, 3, 4, 5]) await holds.place(ANA, { ...EVERYTHING, name: `Case ${n}` });
    const again = await gate.carryOut(reach(1, START), 'e', async () => undefined).catch((error: unknown) => error);
    expect(heldRefusal(again as ContentHeld).message).toContain('2 more, so it is not erased: release these holds');
  });
});

function boundTo(store: HoldStore): HoldStore {
  return {
    place: (...all) => store.place(...all),
    release: (...all) => store.release(...all),
    find: (...all) => store.find(...all),
    list: (...all) => store.list(...all),
    inForce: (...all) => store.inForce(...all),
    begin: (...all) => store.begin(...all),
    end: (...all) => store.end(...all),
    underWay: (...all) => store.underWay(...all),
    unsettled: (...all) => store.unsettled(...all),
    settlesAt: (...all) => store.settlesAt(...all),
    settled: (...all) => store.settled(...all),
    pending: (...all) => store.pending(...all),
    sent: (...all) => store.sent(...all),
    close: () => store.close(),
  };
}

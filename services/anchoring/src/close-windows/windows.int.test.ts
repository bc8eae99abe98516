import { join } from 'node:path';
import Database from 'better-sqlite3';
import { leafHashOf, toHex, windowTree } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { WindowDamaged } from '../domain/agent-fold.js';
import type { ClosedWindow } from '../store/port.js';
import { WindowTrees } from '../prove/window-trees.js';
import { agentId, envelope } from '../testing/envelopes.js';
import { backends } from '../testing/backends.js';
import { House } from '../testing/house.js';
import { requirePublishedWindows } from '../lead/published-windows.js';
import { recomputeWindow } from './recompute-window.js';
import { memoOf, WindowCloser } from './window-closer.js';

const { sha256 } = nodeCrypto;
const SECOND = 1000;
const HOUR = 3_600_000;

async function window(house: House, id: string): Promise<ClosedWindow> {
  const found = await house.store.closedWindow(id);
  if (found === null) throw new Error(`no window ${id}`);
  return found;
}

async function fill(house: House): Promise<void> {
  await house.append(...Array.from({ length: 20 }, (_, n) => envelope({ n, agent: n % 3 })));
  await house.takeAll();
  house.nowMs += 2 * SECOND;
}

function damage(house: House, sql: string, ...values: unknown[]): void {
  const database = new Database(join(house.directory, 'anchors.db'));
  const { changes } = database.prepare(sql).run(...values);
  database.close();
  expect(changes).toBe(1);
}

for (const backend of backends(process.env['COUNTERSIGN_TEST_MONGODB_URI']))
  (backend.available ? describe : describe.skip)(`windows in ${backend.name}`, () => {
    let house: House;
    beforeEach(async () => {
      house = await House.open({ openStore: backend.openStore });
    });
    afterEach(async () => {
      await house.close();
      await backend.clear();
    });
    afterAll(() => backend.end());

    it('holds what lies between two cuts, as evidence builds it', async () => {
      const first = Array.from({ length: 40 }, (_, n) => envelope({ n, agent: n % 7 }));
      await house.append(...first);
      await house.takeAll();
      house.nowMs += 2 * SECOND;
      await house.closeDue();

      const closed = await window(house, '1-1');
      const expected = windowTree(
        Array.from({ length: 7 }, (_, agent) => ({
          agentId: agentId(agent),
          firstSequence: 1,
          leaves: first.filter((one) => one.leaf.agentId === agentId(agent)).map((one) => leafHashOf(one.leaf, sha256)),
        })),
        sha256,
      );
      expect(closed).toMatchObject({ merkleRoot: expected.merkleRoot, agentCount: 7, eventCount: 40, prev: null });
      const agents = await house.store.windowAgents('1-1', 0, 100);
      expect(agents.map((agent) => agent.agentId)).toEqual(expected.agents.map((agent) => agent.agentId));
      expect(agents.map((agent) => toHex(agent.root))).toEqual(expected.agents.map((agent) => agent.leaf.agentRoot));

      await house.append(envelope({ n: 100, agent: 3 }));
      await house.takeAll();
      house.nowMs += 2 * SECOND;
      await house.closeDue();
      const second = await window(house, '1-2');
      expect(second).toMatchObject({ prev: closed.merkleRoot, agentCount: 1, eventCount: 1 });
      expect(second.startMs).toBeGreaterThanOrEqual(closed.endMs);
      expect((await house.store.windowAgents('1-2', 0, 1))[0]).toMatchObject({ firstSequence: 7, lastSequence: 7 });
    });

    it('keeps the roots of its tiles, by which a path is that of the whole tree', async () => {
      house.closer = new WindowCloser(house.store, sha256, 2);
      await house.append(...Array.from({ length: 14 }, (_, n) => envelope({ n, agent: n % 7 })));
      await house.takeAll();
      house.nowMs += 2 * SECOND;
      await house.closeDue();
      const closed = await window(house, '1-1');
      expect(await house.store.windowTileRoots('1-1')).toHaveLength(4 * 32);
      const store: ConstructorParameters<typeof WindowTrees>[0] = {
        windowTileRoots: (id) => house.store.windowTileRoots(id),
        windowTile: (id, first) => house.store.windowTile(id, first),
        windowLeafHashes: () => Promise.reject(new Error('all leaves were read')),
      };
      const trees = new WindowTrees(store, sha256, 2);
      const paths: (readonly Uint8Array[])[] = [];
      for (let at = 0; at < 7; at += 1) paths.push(await trees.path(closed, at));
      const whole = await new WindowTrees(house.store, sha256).of(closed);
      expect(paths.map((path) => path.map(toHex))).toEqual(paths.map((_, at) => whole.path(at).map(toHex)));
    });

    it('counts an event id once and parks what is no leaf without a number', async () => {
      await house.append(envelope({ n: 1, agent: 1 }), envelope({ n: 2, agent: 1 }), envelope({ n: 1, agent: 1 }));
      await house.log.append([{ topic: 'agent-events', key: agentId(1), value: '{"v":1}' }]);
      await house.append(envelope({ n: 3, agent: 1 }));
      await house.takeAll();
      house.nowMs += 2 * SECOND;
      await house.closeDue();
      expect((await house.store.windowAgents('1-1', 0, 1))[0]).toMatchObject({ firstSequence: 1, lastSequence: 3 });
      expect(await house.log.read('dead-letters', 0, 0, 10)).toHaveLength(1);
    });

    it('cuts at the end of the log, also what was not taken yet, and nothing that came after', async () => {
      await house.append(envelope({ n: 1, agent: 1 }));
      await house.takeAll();
      house.nowMs += 2 * SECOND;
      await house.append(envelope({ n: 2, agent: 1 }));
      const ticking = house.cutter.tick();
      await new Promise((resolve) => setTimeout(resolve, 20));
      await house.append(envelope({ n: 3, agent: 1 }));
      const taking = house.takeAll();
      await ticking;
      await taking;
      await house.closeDue();
      expect((await house.store.windowAgents('1-1', 0, 1))[0]).toMatchObject({ firstSequence: 1, lastSequence: 2 });
      house.nowMs += 2 * SECOND;
      await house.closeDue();
      expect((await house.store.windowAgents('1-2', 0, 1))[0]).toMatchObject({ firstSequence: 3, lastSequence: 3 });
    });

    it.each([HOUR, -HOUR])('keeps a closed window as it is when the clock steps by %i ms', async (step) => {
      await house.append(envelope({ n: 1, agent: 1 }), envelope({ n: 2, agent: 2 }));
      await house.takeAll();
      house.nowMs += 2 * SECOND;
      await house.closeDue();
      const before = await window(house, '1-1');

      house.nowMs += step;
      await house.append(envelope({ n: 3, agent: 1, occurredAtMs: 1_790_000_000_000 + step }));
      await house.takeAll();
      house.nowMs += 2 * SECOND;
      await house.closeDue();
      expect(await window(house, '1-1')).toEqual(before);
      const later = await window(house, '1-2');
      expect(Math.sign(later.endMs - before.endMs)).toBe(step < 0 ? -1 : 1);
      expect(later.prev).toBe(before.merkleRoot);
      expect((await house.store.windowAgents('1-2', 0, 9)).map((agent) => agent.firstSequence)).toEqual([2]);
      expect(await window(house, '1-1')).toEqual(before);
    });

    it('keeps an agent whose cadence changes in its window until the cut', async () => {
      await house.append(envelope({ n: 1, agent: 1, cadenceSeconds: 3600 }));
      await house.append(
        envelope({ n: 2, agent: 1, cadenceSeconds: 1 }),
        envelope({ n: 3, agent: 2, cadenceSeconds: 1 }),
      );
      await house.takeAll();
      house.nowMs += 2 * SECOND;
      await house.closeDue();
      expect((await house.store.windowAgents('1-1', 0, 9)).map((agent) => agent.agentId)).toEqual([agentId(2)]);
      expect((await house.anchors()).get('cut:1:1')).toMatchObject({ carried: [agentId(1)] });

      house.nowMs += HOUR;
      await house.closeDue();
      expect(await house.store.windowAgents('3600-1', 0, 9)).toMatchObject([{ firstSequence: 1, lastSequence: 2 }]);
      await house.append(envelope({ n: 4, agent: 1, cadenceSeconds: 1 }));
      await house.takeAll();
      house.nowMs += 2 * SECOND;
      await house.closeDue();
      expect(await house.store.windowAgents('1-2', 0, 9)).toMatchObject([{ firstSequence: 3, lastSequence: 3 }]);
      expect((await house.anchors()).get('cut:1:2')).toMatchObject({ carried: [] });
    });

    it('goes on at once when a clock that was ahead is right again, and uses no label twice', async () => {
      const rightMs = house.nowMs;
      const labels: number[] = [];
      const one = async (n: number): Promise<void> => {
        await house.append(envelope({ n, agent: 1 }));
        await house.takeAll();
      };
      house.nowMs = rightMs + 72 * HOUR;
      await one(1);
      house.nowMs += 2 * SECOND;
      await house.closeDue();
      // Taken while the clock is ahead, and never cut by it.
      await one(2);
      house.nowMs = rightMs + 5 * SECOND;
      await house.restart();
      await house.closeDue();
      for (let n = 3; n < 6; n += 1) {
        await one(n);
        house.nowMs += 2 * SECOND;
        await house.closeDue();
      }
      // Once it comes to the label that was used ahead, its events go into the window after that.
      house.nowMs = rightMs + 72 * HOUR;
      await one(6);
      house.nowMs += 2 * SECOND;
      await house.closeDue();
      expect(await house.store.closedWindow('1-6')).toBeNull();
      house.nowMs += SECOND;
      await house.closeDue();

      let before: ClosedWindow | null = null;
      for (let n = 1; n <= 6; n += 1) {
        const closed = await window(house, `1-${n}`);
        expect(closed).toMatchObject({ eventCount: 1, prev: before?.merkleRoot ?? null });
        labels.push(closed.endMs);
        before = closed;
      }
      expect(new Set(labels).size).toBe(6);
      const second = Math.floor(rightMs / SECOND) * SECOND;
      expect(labels.map((end) => (end - second) / SECOND)).toEqual([259_202, 5, 7, 9, 11, 259_203]);
      await requirePublishedWindows(house.log, house.store, 'no authority yet');
    });

    it('closes all since the last cut after a pause, under the last label that ended', async () => {
      await house.append(envelope({ n: 1, agent: 1 }));
      await house.takeAll();
      house.nowMs += 10 * SECOND;
      await house.append(envelope({ n: 2, agent: 1 }));
      await house.restart();
      await house.takeAll();
      house.nowMs += 10 * SECOND;
      await house.closeDue();
      const closed = await window(house, '1-1');
      expect(closed).toMatchObject({ eventCount: 2, endMs: Math.floor(house.nowMs / SECOND) * SECOND });
    });

    it('gives the same window when closing is interrupted at any write', async () => {
      await house.append(...Array.from({ length: 300 }, (_, n) => envelope({ n, agent: n % 120 })));
      await house.takeAll();
      house.nowMs += 2 * SECOND;
      await house.cutter.tick();
      const methods = ['markCutsPublished', 'saveSegments', 'saveWindowAgents', 'closeWindow', 'sweep'] as const;
      for (const method of methods) {
        const store = house.store as unknown as Record<string, unknown>;
        store[method] = () => Promise.reject(new Error('the process ends here'));
        await expect(house.closeDue()).rejects.toThrow('the process ends here');
        await house.restart();
      }
      await house.closeDue();
      const closed = await window(house, '1-1');
      expect(closed).toMatchObject({ agentCount: 120, eventCount: 300 });
      expect(await recomputeWindow(house.store, '1-1', memoOf(closed), sha256)).toEqual(closed);
      expect(await house.store.openSubmissions(10)).toMatchObject([{ id: 'window:1-1', memo: memoOf(closed) }]);
    });
  });

describe('windows on damaged files', () => {
  let house: House;
  beforeEach(async () => {
    house = await House.open();
    await fill(house);
  });
  afterEach(() => house.close());

  it('does not close a window with a changed leaf', async () => {
    damage(house, `UPDATE arrivals SET hash = zeroblob(32) WHERE offset = 4`);
    await expect(house.closeDue()).rejects.toThrow(WindowDamaged);
  });

  it('does not close a window that lost a leaf', async () => {
    damage(house, 'DELETE FROM arrivals WHERE offset = 4');
    await expect(house.closeDue()).rejects.toThrow(WindowDamaged);
  });

  it.each([
    ['a kept leaf', `UPDATE segments SET hashes = zeroblob(length(hashes)) WHERE agent_n = 2`],
    ['an agent root', `UPDATE window_agents SET root = zeroblob(32) WHERE leaf_index = 1`],
    ['a sequence', `UPDATE window_agents SET last_sequence = last_sequence - 1 WHERE leaf_index = 0`],
    ['an agent', `DELETE FROM window_agents WHERE leaf_index = 2`],
    ['the root', `UPDATE windows SET root = '${'1'.repeat(64)}' WHERE id = '1-1'`],
    ['the previous root', `UPDATE windows SET prev = '${'0'.repeat(64)}' WHERE id = '1-1'`],
  ])('finds %s that was changed after closing', async (_what, sql) => {
    await house.closeDue();
    const closed = await window(house, '1-1');
    const memo = memoOf(closed);
    damage(house, sql);
    await expect(recomputeWindow(house.store, '1-1', memo, sha256)).rejects.toThrow(WindowDamaged);
  });
});

const [, mongo] = backends(process.env['COUNTERSIGN_TEST_MONGODB_URI']);
(mongo!.available ? describe : describe.skip)(`windows on damaged documents of ${mongo!.name}`, () => {
  const database = mongo!.database!;
  let house: House;
  beforeEach(async () => {
    house = await House.open({ openStore: mongo!.openStore });
    await fill(house);
  });
  afterEach(async () => {
    await house.close();
    await mongo!.clear();
  });
  afterAll(() => mongo!.end());

  /** Changes one byte of a binary field of the first document that matches. */
  async function flip(name: string, field: string, filter: object = {}): Promise<void> {
    const documents = await database.collection(name);
    const found: Record<string, unknown> = (await documents.findOne(filter))!;
    const bytes = Buffer.from((found[field] as { value(): Uint8Array }).value());
    bytes[bytes.length >> 1]! ^= 1;
    const { matchedCount } = await documents.updateOne({ _id: found['_id'] as string }, { $set: { [field]: bytes } });
    expect(matchedCount).toBe(1);
  }
  async function change(name: string, filter: object, update: object): Promise<void> {
    expect((await (await database.collection(name)).updateOne(filter, update)).modifiedCount).toBe(1);
  }

  it('does not close a window with a changed leaf', async () => {
    await flip('leaves', 'rows');
    await expect(house.closeDue()).rejects.toThrow(WindowDamaged);
  });

  it('does not close a window that lost a batch of leaves', async () => {
    await house.append(envelope({ n: 50, agent: 7 }));
    await house.takeAll();
    await house.cutter.tick();
    await house.publisher.publishCuts();
    const leaves = await database.collection('leaves');
    // The last one: no sequence is missing behind it.
    const last = (await leaves.find({}).sort({ from: -1 }).limit(1).toArray())[0]!;
    await leaves.deleteOne({ _id: last._id });
    await expect(house.closer.closeNext()).rejects.toThrow(WindowDamaged);
  });

  it.each([
    ['a kept leaf', () => flip('segments', 'hashes', { agentN: 2 })],
    ['an agent root', () => flip('window_agents', 'root', { leafIndex: 1 })],
    ['a sequence', () => change('window_agents', { leafIndex: 0 }, { $inc: { last: -1 } })],
    ['the root', () => change('windows', { _id: '1-1' }, { $set: { root: '1'.repeat(64) } })],
    ['the previous root', () => change('windows', { _id: '1-1' }, { $set: { prev: '0'.repeat(64) } })],
    ['the count of agents', () => change('windows', { _id: '1-1' }, { $inc: { agentCount: 1 } })],
  ])('finds %s that was changed after closing', async (_what, damageIt) => {
    await house.closeDue();
    const memo = memoOf(await window(house, '1-1'));
    await damageIt();
    await expect(recomputeWindow(house.store, '1-1', memo, sha256)).rejects.toThrow(WindowDamaged);
  });
});

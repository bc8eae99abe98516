import { join } from 'node:path';
import Database from 'better-sqlite3';
import { verifyAbsence } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { backends } from '../testing/backends.js';
import { agentId, envelope } from '../testing/envelopes.js';
import { House } from '../testing/house.js';
import { absenceIn, proveAbsences, windowsBetween, type WindowLabel } from './absence.js';

const landed = {
  signature: '5'.repeat(88),
  slot: 9,
  blockHeight: 8,
  anchoredAt: '2026-03-01T10:00:00.000Z',
  network: 'solana:localnet',
  authority: 'a',
};

/** One closed window of one second with the agents 0 to `agents - 1`. */
async function closedWindow(house: House, agents: number): Promise<WindowLabel> {
  await house.append(...Array.from({ length: 2 * agents }, (_, n) => envelope({ n, agent: n % agents })));
  await house.takeAll();
  house.nowMs += 2_000;
  await house.closeDue();
  return { startMs: (await house.store.closedWindow('1-1'))!.startMs, durationSeconds: 1 };
}

for (const backend of backends(process.env['COUNTERSIGN_TEST_MONGODB_URI']))
  (backend.available ? describe : describe.skip)(`absence from windows in ${backend.name}`, () => {
    let house: House;
    beforeEach(async () => {
      house = await House.open({ openStore: backend.openStore });
    });
    afterEach(async () => {
      await house.close();
      await backend.clear();
    });
    afterAll(() => backend.end());

    it('is proven of each agent that had no event, and of no other', async () => {
      const label = await closedWindow(house, 7);
      expect(await absenceIn(house.store, agentId(50), label, nodeCrypto)).toEqual({ kind: 'not-anchored' });
      await house.store.saveAnchored('window:1-1', landed);
      for (const n of [7, 20, 21, 22, 23, 24, 25, 26, 27, 28]) {
        const answer = await absenceIn(house.store, agentId(n), label, nodeCrypto);
        if (answer.kind !== 'absent') throw new Error(answer.kind);
        expect(answer.proof).toMatchObject({ agentId: agentId(n), treeSize: 7, txSignature: landed.signature });
        expect(verifyAbsence(answer.proof, { crypto: nodeCrypto, chain: null })).toMatchObject({ ok: true });
      }
      expect(await absenceIn(house.store, agentId(3), label, nodeCrypto)).toEqual({
        kind: 'present',
        firstSequence: 1,
        lastSequence: 2,
      });
      const next = { ...label, startMs: label.startMs + 1_000 };
      expect(await absenceIn(house.store, agentId(3), next, nodeCrypto)).toEqual({ kind: 'no-window' });
    });
  });

describe('absence from a store that was changed from outside', () => {
  it('is not proven', async () => {
    const house = await House.open();
    try {
      const label = await closedWindow(house, 5);
      await house.store.saveAnchored('window:1-1', landed);
      const place = { directory: house.directory, mongodbUri: null };
      const around = { fromMs: label.startMs - 1, toMs: label.startMs + 1 };
      expect(await windowsBetween(place, around, 10)).toEqual([label]);
      // Beside the instance that has it open.
      const wanted = [
        { agentId: agentId(50), label },
        { agentId: agentId(3), label },
      ];
      expect(await proveAbsences(place, wanted)).toMatchObject([{ kind: 'absent' }, { kind: 'present' }]);
      const database = new Database(join(house.directory, 'anchors.db'));
      database.prepare('UPDATE window_agents SET last_sequence = last_sequence + 1').run();
      database.close();
      await expect(proveAbsences(place, wanted)).rejects.toThrow('does not lead to the root');
    } finally {
      await house.close();
    }
  });
});

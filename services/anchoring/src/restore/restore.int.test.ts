import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeBase58 } from '@countersign/chain';
import type { RestoreContext, StoreAdapters } from '@countersign/service-kit';
import { Registry } from 'prom-client';
import { pino } from 'pino';
import { authorityKey } from '../authority/authority-key.js';
import type { AnchorStore, Landed } from '../store/port.js';
import { backends } from '../testing/backends.js';
import { agentId, envelope } from '../testing/envelopes.js';
import { House } from '../testing/house.js';
import { PartitionedLog } from '../testing/partitioned-log.js';
import { restoreFromTopics } from './restore.js';

const AGENTS = 9;
const wet = { dryRun: false, progress: () => undefined };

for (const backend of backends(process.env['COUNTERSIGN_TEST_MONGODB_URI']))
  (backend.available ? describe : describe.skip)(`a store brought up to the log, in ${backend.name}`, () => {
    let house: House;
    let log: PartitionedLog;
    let directory: string;
    let authority: string;
    beforeEach(async () => {
      log = new PartitionedLog(3);
      house = await House.open({ log });
      directory = mkdtempSync(join(tmpdir(), 'restored-'));
      authority = (await authorityKey(directory, async () => null)).publicKey;
    });
    afterEach(async () => {
      await house.close();
      await backend.clear();
      rmSync(directory, { recursive: true, force: true });
    });
    afterAll(() => backend.end());

    const landed = (n: number): Landed => ({
      ...{ signature: `signature ${n}`, slot: n, blockHeight: n, anchoredAt: new Date(n * 1000).toISOString() },
      ...{ network: 'solana:localnet', authority },
    });

    const context = (eventLog = log): RestoreContext =>
      ({
        eventLog,
        clock: () => house.nowMs,
        log: pino({ level: 'silent' }),
        metrics: new Registry(),
        directory,
        openStore: async <T>(_adapters: StoreAdapters<T>) => (await backend.openStore(directory)) as T,
        chain: () => Promise.reject(new Error('the chain is not asked')),
      }) as unknown as RestoreContext;

    /** Events of two cadences, between which agents move; windows, of which all are anchored. */
    async function live(from: number, rounds: number): Promise<void> {
      for (let round = from; round < from + rounds; round += 1) {
        for (let n = 0; n < 2 * AGENTS; n += 1) {
          const agent = n % AGENTS;
          const cadenceSeconds = (agent + round) % 4 === 0 ? 5 : 1;
          await house.append(envelope({ n: round * 100 + n, agent, cadenceSeconds }));
        }
        await house.takeAll();
        house.nowMs += 1_500;
        await house.closeDue();
      }
      for (const { id } of await house.store.openSubmissions(1_000)) {
        await house.store.saveAnchored(id, landed(id.length + from));
      }
      await house.publisher.publishAnchored();
    }

    async function opened<T>(look: (store: AnchorStore) => Promise<T>): Promise<T> {
      const store = await backend.openStore(directory);
      try {
        return await look(store);
      } finally {
        await store.close();
      }
    }

    async function everything(store: AnchorStore): Promise<unknown> {
      const ids = [...(await house.anchors()).values()].flatMap((facts) =>
        facts.kind === 'cut' ? [`${facts.cadenceSeconds}-${facts.number}`] : [],
      );
      const windows = await Promise.all(ids.map((id) => store.closedWindow(id)));
      const agents = Array.from({ length: AGENTS }, (_, n) => agentId(n));
      const places = await Promise.all(agents.map((agent) => store.places(agent, 1, 1_000)));
      const hashes = await Promise.all(agents.map((agent) => store.leafHashes(agent, 1, 1_000)));
      return { windows, places, hashes: hashes.map((all) => Buffer.from(all).toString('hex')) };
    }

    it('holds the windows, trees and anchors that were there, from nothing', async () => {
      await live(0, 8);
      const dry = await restoreFromTopics(context(), { ...wet, dryRun: true });
      expect(dry.adopted).toEqual([expect.stringMatching(/^\d+ windows cut again/)]);
      const { adopted } = await restoreFromTopics(context(), wet);
      expect(adopted).toEqual([...dry.adopted, expect.stringMatching(/^\d+ published anchors$/)]);
      expect(await opened(everything)).toEqual(await everything(house.store));
      expect((await restoreFromTopics(context(), wet)).adopted).toEqual([]);
    });

    it('goes on from an older state, and then as if nothing had been', async () => {
      house.nowMs += 3_600_000;
      await live(0, 3);
      await restoreFromTopics(context(), wet);
      // The clock was ahead: labels fall, and what is made again follows the numbers.
      house.nowMs -= 3_600_000;
      await live(3, 4);
      await restoreFromTopics(context(), wet);
      const expected = await everything(house.store);
      expect(await opened(everything)).toEqual(expected);
      const ends = await log.endOffsets('anchors');
      await opened(async (store) => {
        await store.lead(AbortSignal.timeout(30_000));
        expect(await store.openSubmissions(100)).toEqual([]);
        expect(await store.unpublishedCuts(100)).toEqual([]);
      });
      expect(await log.endOffsets('anchors')).toEqual(ends);
    });

    it('is refused where the log says another event now', async () => {
      await live(0, 2);
      const other = new PartitionedLog(3);
      for (let partition = 0; partition < 3; partition += 1) {
        for (const topic of ['agent-events', 'anchors'] as const) {
          const records = (await log.read(topic, partition, 0, 1_000)).map(({ key, value }, i) => {
            const text = Buffer.from(value).toString('utf8');
            const changed = topic === 'agent-events' && i === 0;
            return { topic, key, value: changed ? text.replace('"http_call"', '"tool_use"') : text };
          });
          await other.append(records);
        }
      }
      await expect(restoreFromTopics(context(other), wet)).rejects.toThrow(/came out as "countersign\/1 root=/);
    });

    it('is refused with another key, without one, and where the log begins later', async () => {
      await live(0, 1);
      const late = new PartitionedLog(3, 7);
      for (let partition = 0; partition < 3; partition += 1) {
        const records = await log.read('anchors', partition, 0, 1_000);
        await late.append(
          records.map(({ topic, key, value }) => ({ topic, key, value: Buffer.from(value).toString() })),
        );
      }
      await expect(restoreFromTopics(context(late), wet)).rejects.toThrow(/the copy is older than the log/);
      rmSync(join(directory, 'authority.json'));
      await expect(restoreFromTopics(context(), wet)).rejects.toThrow('authority.json is missing');
      const { secretKey, publicKey } = await authorityKey(mkdtempSync(join(directory, 'other-')), async () => null);
      writeFileSync(join(directory, 'authority.json'), JSON.stringify([...secretKey]));
      expect(encodeBase58(secretKey.subarray(32))).toBe(publicKey);
      await expect(restoreFromTopics(context(), wet)).rejects.toThrow(`and authority.json holds ${publicKey}`);
    });
  });

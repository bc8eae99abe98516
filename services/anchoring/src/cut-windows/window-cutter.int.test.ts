import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumption } from '@countersign/event-log';
import { agentId, envelope } from '../testing/envelopes.js';
import { House } from '../testing/house.js';
import { PartitionedLog } from '../testing/partitioned-log.js';

const SECOND = 1_000;

describe('cuts of a log of 12 partitions', () => {
  let house: House;
  let consumption: Consumption | null = null;

  async function open(log: PartitionedLog): Promise<void> {
    house = await House.open({ log });
  }
  async function consume(): Promise<void> {
    consumption = await house.log.consume({
      group: 'anchoring',
      topics: ['agent-events'],
      mode: 'shared',
      maxBatch: 40,
      position: (topic, partition) => house.store.position(topic, partition),
      handle: (batch) => house.intake.take(batch),
    });
  }
  afterEach(async () => {
    await consumption?.stop();
    consumption = null;
    await house.close();
  });

  it('gives a window each second while two partitions get messages and ten none', async () => {
    const log = new PartitionedLog(12);
    await open(log);
    await consume();
    const busy = [1, 2, 3];
    expect(new Set(busy.map((agent) => log.partitionOf(agentId(agent)))).size).toBeGreaterThan(1);
    let appending = true;
    let n = 0;
    // Messages never stop: whenever a cut is read, some lie above it.
    const writer = (async () => {
      while (appending) {
        await house.append(...Array.from({ length: 30 }, () => envelope({ n: (n += 1), agent: busy[n % 3]! })));
        await sleep(1);
      }
    })();
    let slowest = 0;
    for (let second = 0; second < 10; second += 1) {
      while (typeof (await house.store.cadences())[0]?.openedAtMs !== 'number') await sleep(1);
      house.nowMs += 2 * SECOND;
      const begun = performance.now();
      await house.cutter.tick();
      slowest = Math.max(slowest, performance.now() - begun);
    }
    appending = false;
    await writer;
    await house.closeDue();
    expect(slowest).toBeLessThan(3 * SECOND);
    const windows = await Promise.all(Array.from({ length: 10 }, (_, i) => house.store.closedWindow(`1-${i + 1}`)));
    expect(windows.every((one) => one !== null)).toBe(true);
    for (const [i, one] of windows.entries()) expect(one!.prev).toBe(windows[i - 1]?.merkleRoot ?? null);
  });

  it('lets the other partitions go on while one is behind the cut', async () => {
    const log = new PartitionedLog(12);
    await open(log);
    const [slow, fast] = [1, 2, 3, 4].filter((agent, _, [first]) => agent === first || differ(log, agent, first!));
    await house.append(envelope({ n: 1, agent: fast! }));
    await house.takeAll();
    await house.append(envelope({ n: 2, agent: slow! }), envelope({ n: 3, agent: fast! }));
    house.nowMs += 2 * SECOND;
    const ticking = house.cutter.tick();
    await sleep(30);
    await house.append(envelope({ n: 4, agent: fast! }));
    await takeOf(log, fast!);
    expect(await house.store.position('agent-events', log.partitionOf(agentId(fast!)))).toBe(3);
    expect(await house.store.unpublishedCuts(10)).toEqual([]);
    await house.takeAll();
    await ticking;
    await house.closeDue();
    const rows = await house.store.windowAgents('1-1', 0, 9);
    expect(new Map(rows.map((row) => [row.agentId, row.lastSequence]))).toEqual(
      new Map([
        [agentId(slow!), 1],
        [agentId(fast!), 2],
      ]),
    );
  });

  it('goes on with a recorded cut after a restart', async () => {
    const log = new PartitionedLog(12);
    await open(log);
    await house.append(envelope({ n: 1, agent: 1 }));
    await house.takeAll();
    await house.append(envelope({ n: 2, agent: 1 }));
    house.nowMs += 2 * SECOND;
    const ticking = house.cutter.tick().catch((error: Error) => error.message);
    await sleep(30);
    await house.cutter.stop();
    expect(await ticking).toBe('the service stops');
    await house.restart();
    await house.append(envelope({ n: 3, agent: 1 }));
    await house.takeAll();
    await house.closeDue();
    expect(await house.store.windowAgents('1-1', 0, 9)).toMatchObject([{ firstSequence: 1, lastSequence: 2 }]);
  });

  it('does not wait for what the log dropped before it was ever read', async () => {
    await open(new PartitionedLog(12, 500));
    await consume();
    await house.append(envelope({ n: 1, agent: 1 }));
    while ((await house.store.cadences()).length === 0) await sleep(1);
    house.nowMs += 2 * SECOND;
    await house.closeDue();
    expect(await house.store.closedWindow('1-1')).toMatchObject({ eventCount: 1 });
  });

  async function takeOf(log: PartitionedLog, agent: number): Promise<void> {
    const partition = log.partitionOf(agentId(agent));
    const from = (await house.store.position('agent-events', partition)) ?? 0;
    const records = await log.read('agent-events', partition, from, 100);
    await house.intake.take({ topic: 'agent-events', partition, records, endOffset: from + records.length });
  }
});

function differ(log: PartitionedLog, agent: number, other: number): boolean {
  return log.partitionOf(agentId(agent)) !== log.partitionOf(agentId(other));
}

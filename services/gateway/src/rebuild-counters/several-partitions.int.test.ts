import { randomUUID } from 'node:crypto';
import type { EventEnvelope, UsageFacts } from '@countersign/contracts';
import { InProcessCounters } from '@countersign/counters';
import type { LogRecord } from '@countersign/event-log';
import { versionedRecord } from '@countersign/topics';
import { GatewayBench } from '../gateway.test-setup.js';
import { PartitionedLog } from './partitioned-log.test-double.js';
import { rebuildCounters } from './rebuild-counters.js';

const PARTITIONS = 12;
const AGENTS = 20;
const CHECKS = 200;
const COST = 0.25;

interface Published {
  readonly record: LogRecord;
  readonly envelope: EventEnvelope;
}

describe('rebuilding from a log of twelve partitions', () => {
  const bench = new GatewayBench();
  const agents = Array.from({ length: AGENTS }, () => randomUUID());
  let envelopes: readonly EventEnvelope[];
  beforeAll(async () => {
    await bench.open();
    for (const agent of agents) await bench.putAgent(agent, {});
    for (let n = 0; n < CHECKS; n += 1) {
      await bench.check({ type: 'a', estimatedCost: COST }, {}, agents[(n * 7) % AGENTS]);
    }
    envelopes = await bench.events();
  });
  afterAll(() => bench.close());

  /** The same events and agents in partitions, with instances of policy that publish what each has read so far. */
  function installation() {
    const log = new PartitionedLog(PARTITIONS);
    const records: Published[] = envelopes.map((envelope) => {
      const value = JSON.stringify(envelope);
      return { envelope, record: log.put({ topic: 'agent-events', key: envelope.leaf.agentId, value }) };
    });
    let version = 1;
    /** Rows first, then the position; `upTo`: how far each partition was followed. */
    const publish = (upTo: (partition: number) => number, what: 'rows alone' | 'all' = 'all') => {
      version += 1;
      const put = (id: string, value: UsageFacts) => log.put(versionedRecord('usage', id, version, value));
      const below = records.filter(({ record }) => record.offset < upTo(record.partition));
      const month = new Date().toISOString().slice(0, 7);
      const day = new Date().toISOString().slice(0, 10);
      for (const agentId of agents) {
        const own = below.filter(({ envelope }) => envelope.leaf.agentId === agentId);
        const last = own.at(-1)?.record;
        if (last === undefined) continue;
        const micros = own.reduce((sum, { envelope }) => sum + envelope.costMicros, 0);
        const { partition } = last;
        const windows = { day, dayMicros: micros, month, monthMicros: micros, rateTimes: [] };
        put(`agent:${agentId}`, { kind: 'agent', partition, offset: last.offset + 1, ...windows });
      }
      const offsets = Object.fromEntries(Array.from({ length: PARTITIONS }, (_, n) => [n, upTo(n)]));
      const counts = { period: month, actionsInPeriod: below.length, actionsEver: below.length };
      put(`account:${bench.accountId}`, { kind: 'account', ...counts, offsets });
      if (what === 'all') put('position', { kind: 'position', offsets });
    };
    return { log, publish };
  }

  async function rebuilt(log: PartitionedLog): Promise<{ counters: InProcessCounters; events: number }> {
    for (const agent of agents) {
      const [record] = (await bench.log.read('agents', 0, 0, 1000)).filter(({ key }) => key === agent);
      log.put({ topic: 'agents', key: agent, value: Buffer.from(record!.value).toString('utf8') });
    }
    const counters = new InProcessCounters();
    let events = 0;
    const info = (detail: object) => {
      if ('events' in detail) events = Number(detail.events);
    };
    await rebuildCounters({ eventLog: log, counters, log: { info } }, () => performance.now());
    return { counters, events };
  }

  const spent = async (counters: InProcessCounters, agentId: string): Promise<number> => {
    const own = envelopes.filter(({ leaf }) => leaf.agentId === agentId).length;
    const limitMicros = own * COST * 1e6;
    const judge = async (costMicros: number) =>
      counters.checkNow({
        accountId: 'asks',
        agentId,
        apiKeyId: bench.keyId,
        versions: { account: 9, apiKey: 9, agent: 9 },
        plan: { plan: 'enterprise', actionCap: null, sandboxExpiresAtMs: null },
        profileVersion: 1,
        frozen: false,
        observe: false,
        freezeOnViolation: false,
        violation: null,
        costMicros,
        spending: { limitMicros, window: 'day' },
        rate: null,
        idempotency: null,
        entropy: '0'.repeat(20),
        actionSalt: 'A'.repeat(22),
        payloadSalt: null,
      });
    const fits = await judge(0);
    const more = await judge(1);
    if (fits.kind !== 'judged' || more.kind !== 'judged') throw new Error('not judged');
    return fits.judgement.outcome === 'allowed' && more.judgement.outcome === 'denied' ? limitMicros : NaN;
  };

  const exact = async (counters: InProcessCounters) => {
    expect((await counters.usage(bench.accountId)).actionsEver).toBe(CHECKS);
    for (const agent of agents) expect(await spent(counters, agent)).not.toBeNaN();
  };

  it('takes from each partition what is above its own position', async () => {
    const { log, publish } = installation();
    publish((partition) => partition % 5);
    const { counters, events } = await rebuilt(log);
    await exact(counters);
    expect(events).toBeLessThan(CHECKS);
    expect(events).toBeGreaterThan(0);
  });

  it.each(Array.from({ length: PARTITIONS }, (_, n) => n))(
    'misses nothing while policy publishes newer totals as partition %d is read',
    async (at) => {
      const { log, publish } = installation();
      publish(() => 2);
      let published = false;
      log.reading = (topic, partition) => {
        if (topic !== 'usage' || partition !== at || published) return;
        published = true;
        publish(() => 6);
      };
      const { counters } = await rebuilt(log);
      expect(published).toBe(true);
      await exact(counters);
    },
  );

  it('counts nothing twice where rows are ahead of the position', async () => {
    const { log, publish } = installation();
    publish((partition) => partition % 3);
    publish((partition) => 3 + (partition % 4), 'rows alone');
    await exact((await rebuilt(log)).counters);
  });
});

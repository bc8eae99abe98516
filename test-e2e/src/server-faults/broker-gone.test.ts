import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fsckClean } from '../instance/fsck.js';
import type { Instance } from '../instance/instance.js';
import { isRecorded } from '../torture/load.js';
import type { Session } from '../torture/recorded.js';
import { onOwnServers, startOwnServers, type OwnServers } from './own-servers.js';
import { statuses, SteadyLoad, stopLoads } from './steady-load.js';
import { late, newAgents, settled, wrongRefusals } from './whole.js';

const DEADLINE_MS = 1000;
const AWAY_MS = 20_000;
const MAX_GROWTH_MIB = 96;

onOwnServers('a Kafka broker that goes away under load', () => {
  let servers: OwnServers;
  let instance: Instance;
  let session: Session;
  let agentIds: readonly string[];
  beforeAll(async () => {
    servers = await startOwnServers();
    instance = await servers.start({ env: { COUNTERSIGN_CHECK_DEADLINE_MS: String(DEADLINE_MS) } });
    session = await instance.session();
    agentIds = await newAgents(instance, session, 6);
  }, 120_000);
  afterEach(stopLoads);
  afterAll(async () => {
    await instance?.discard();
    await servers?.stop();
  }, 60_000);

  it('killed and started again: checks are refused meanwhile, in time, and none is lost or doubled', async () => {
    const load = new SteadyLoad(instance, { name: 'killed', perSecond: 100, agentIds });
    await sleep(2500);
    const killedAt = performance.now();
    await servers.kafka.kill();
    await sleep(2500);
    const away = load.since(killedAt + 100);
    expect(Object.keys(statuses(away))).toEqual(['503']);
    expect(away.length).toBeGreaterThan(20);
    await servers.kafka.restart();
    const backAfterMs = await load.until(200, 20);
    await sleep(2000);
    const attempts = await load.stop();

    expect(Object.keys(statuses(attempts)).sort()).toEqual(['200', '503']);
    expect(wrongRefusals(attempts)).toEqual([]);
    expect(late(attempts, DEADLINE_MS)).toEqual([]);
    expect(backAfterMs).toBeLessThan(15_000);
    expect(attempts.filter(isRecorded).length).toBeGreaterThan(200);
    expect((await settled(instance, session, attempts)).problems).toEqual([]);
  }, 120_000);

  it('for long: memory stays flat, every answer comes in time, and it goes on by itself', async () => {
    const load = new SteadyLoad(instance, { name: 'away', perSecond: 50, agentIds });
    await sleep(1000);
    await servers.kafka.kill();
    // What is refused would be 120 MiB if it were kept.
    const heavy = new SteadyLoad(instance, {
      name: 'heavy',
      perSecond: 150,
      agentIds,
      action: { type: 'http_call', metadata: { filler: 'x'.repeat(40_000) } },
    });
    const resident: number[] = [];
    for (const until = Date.now() + AWAY_MS; Date.now() < until; await sleep(250)) {
      resident.push(residentMiB(instance.child.pid ?? 0));
    }
    const refused = await heavy.stop();
    await servers.kafka.restart();
    const backAfterMs = await load.until(200, 20);
    await sleep(1000);
    const attempts = [...(await load.stop()), ...refused];

    // The first seconds fill the young generation of the heap.
    const [before, after] = [resident.slice(12, 24), resident.slice(-12)].map(median);
    expect((after ?? 0) - (before ?? 0)).toBeLessThan(MAX_GROWTH_MIB);
    expect(Object.keys(statuses(refused))).toEqual(['503']);
    expect(refused.length).toBeGreaterThan(1500);
    expect(wrongRefusals(attempts)).toEqual([]);
    expect(late(attempts, DEADLINE_MS)).toEqual([]);
    expect(backAfterMs).toBeLessThan(15_000);
    expect((await settled(instance, session, attempts)).problems).toEqual([]);
  }, 150_000);

  it('leaves everything consistent', async () => {
    expect((await instance.stop()).code).toBe(0);
    await fsckClean(instance.installation);
  }, 90_000);
});

function residentMiB(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

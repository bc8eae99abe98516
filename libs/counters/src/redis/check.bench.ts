import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { amountOf, limitOf, ruleOf, ruleTripOf } from '../contract/rule-trips.test-setup.js';
import { tripOf } from '../counters.contract.js';
import type { CheckTrip } from '../port.js';
import { connectRedisCounters } from './connect.js';

/**
 * Checks per second, round trips and memory: `node dist/redis/check.bench.js redis://127.0.0.1:6379/9` (the database is
 * emptied).
 */
const [, , url] = process.argv;
if (url === undefined) throw new Error('name a Redis database that may be emptied');
const SECONDS = 4;

const redis = new Redis(url);
await redis.flushdb();
const counters = await connectRedisCounters({
  url,
  prefix: '',
  log: { info: () => undefined, warn: () => undefined },
  deadlineMs: 5_000,
  settleMs: 0,
  claimBounds: { all: 10_000_000, account: 10_000_000 },
  testClock: null,
});
await counters.serve();

const ids = (count: number) => Array.from({ length: count }, () => randomUUID());
const [accounts, agents] = [ids(100), ids(1000)];
const of = (list: readonly string[], n: number) => list[n % list.length] ?? '';
const base = (n: number): CheckTrip => ({
  ...tripOf({ spending: { limitMicros: 1e15, window: 'day' }, costMicros: 25, apiKeyId: of(accounts, n) }),
  accountId: of(accounts, n),
  agentId: of(agents, n),
  plan: { plan: 'enterprise', actionCap: 1e9, sandboxExpiresAtMs: null },
});
const onFact = ruleTripOf({
  facts: [{ id: 'secret', key: 'session' }],
  conditional: [ruleOf({ facts: [0], truth: 0b10 })],
});
const limits = (count: number) =>
  ruleTripOf({ limits: ids(count).map((key) => limitOf({ id: key, key, windowSeconds: 1, max: amountOf('10000') })) });
const [oneLimit, fourLimits] = [limits(1), limits(4)];
const hex = (n: number) => n.toString(16).padStart(64, 'a');
const kinds: readonly (readonly [string, (n: number) => CheckTrip])[] = [
  ['spending', base],
  ['spending, rate', (n) => ({ ...base(n), rate: { max: 100_000, per_seconds: 60 } })],
  ['spending, balances', (n) => ({ ...base(n), wantsSeen: true })],
  ['spending, a rule on a fact', (n) => ({ ...base(n), rules: onFact })],
  ['spending, a limit', (n) => ({ ...base(n), rules: oneLimit })],
  ['spending, 4 limits', (n) => ({ ...base(n), rules: fourLimits })],
  ['spending, a new key each', (n) => ({ ...base(n), idempotency: { keySha256: hex(n), bodySha256: hex(1) } })],
];

let number = 0;
async function measure(name: string, trip: (n: number) => CheckTrip, outstanding: number): Promise<void> {
  const times: number[] = [];
  const before = await cpuSeconds();
  const own = process.cpuUsage();
  const begun = performance.now();
  const end = begun + SECONDS * 1000;
  const one = async () => {
    while (performance.now() < end) {
      const at = performance.now();
      const result = await counters.check(trip((number += 1)));
      if (result.kind !== 'judged') throw new Error(JSON.stringify(result));
      times.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: outstanding }, one));
  const seconds = (performance.now() - begun) / 1000;
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  const server = (((await cpuSeconds()) - before) * 1e6) / times.length;
  const client = (process.cpuUsage(own).user + process.cpuUsage(own).system) / times.length;
  console.log(
    `${name}, ${outstanding} outstanding: ${Math.round(times.length / seconds)}/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms;` +
      ` CPU a check: Redis ${server.toFixed(1)} µs, client ${client.toFixed(1)} µs`,
  );
}

async function field(section: string, name: string): Promise<number> {
  return Number(new RegExp(`${name}:([0-9.]+)`).exec(await redis.info(section))?.[1]);
}
const cpuSeconds = async () => (await field('cpu', 'used_cpu_user')) + (await field('cpu', 'used_cpu_sys'));

async function memoryOf(name: string, count: number, add: (n: number) => Promise<unknown>): Promise<void> {
  const before = await field('memory', 'used_memory');
  for (let n = 0; n < count; n += 500) await Promise.all(Array.from({ length: 500 }, (_, m) => add(n + m)));
  const bytes = ((await field('memory', 'used_memory')) - before) / count;
  console.log(`memory: ${Math.round(bytes)} bytes a ${name}`);
}

for (const outstanding of [1, 64]) for (const [name, trip] of kinds) await measure(name, trip, outstanding);
await redis.flushdb();
await counters.serve();
const many = ids(20_000);
await memoryOf('agent with version and totals', many.length, async (n) => {
  await counters.raise('agent', of(many, n), 1);
  await counters.check({ ...base(n), agentId: of(many, n) });
});
await memoryOf('claim, open', 20_000, (n) => counters.check({ ...base(n), ...keyed(n) }));
const answer = { status: 200, body: JSON.stringify({ allowed: true, event: 'e'.repeat(220) }) };
await memoryOf('claim more once answered', 20_000, (n) =>
  counters.answered(of(accounts, n), hex(n), { ...answer, eventId: randomUUID(), coverage: null }),
);
await memoryOf('time in a rate window', 50_000, (n) =>
  counters.check({ ...base(n), agentId: of(agents, 0), rate: { max: 100_000, per_seconds: 3600 } }),
);
await memoryOf('window of a limit with one amount', 20_000, (n) => {
  const rules = ruleTripOf({ limits: [limitOf({ key: hex(n), windowSeconds: 3600 })] });
  return counters.check({ ...base(n), rules });
});
const hour = ruleTripOf({ limits: [limitOf({ windowSeconds: 3600, max: amountOf('10000') })] });
await memoryOf('amount in a window', 10_000, (n) =>
  counters.check({ ...base(n), agentId: of(agents, 0), rules: hour }),
);
await memoryOf('fact', 20_000, (n) => {
  const rules = ruleTripOf({
    facts: [{ id: 'secret', key: hex(n) }],
    sets: [{ fact: 0, ttlSeconds: 3600, on: 'allowed' }],
  });
  return counters.check({ ...base(n), rules });
});
await redis.flushdb();
redis.disconnect();
await counters.close();

function keyed(n: number): Pick<CheckTrip, 'idempotency'> {
  return { idempotency: { keySha256: hex(n), bodySha256: hex(1) } };
}

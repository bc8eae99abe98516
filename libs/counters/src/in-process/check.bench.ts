import { amountOf, limitOf, ruleOf, ruleTripOf } from '../contract/rule-trips.test-setup.js';
import { InProcessCounters } from './in-process-counters.js';
import type { CheckTrip } from '../port.js';

/** Cost of one check: `node dist/in-process/check.bench.js`. */
const base: CheckTrip = {
  accountId: '0190a5f2-0000-7000-8000-000000000001',
  agentId: '',
  apiKeyId: '0190a5f2-0000-7000-8000-000000000003',
  versions: { account: 1, apiKey: 1, agent: 1 },
  plan: { plan: 'enterprise', actionCap: 1e9, sandboxExpiresAtMs: null },
  profileVersion: 1,
  frozen: false,
  observe: false,
  freezeOnViolation: true,
  violation: null,
  costMicros: 25,
  spending: { limitMicros: 1e15, window: 'day' },
  rate: null,
  rules: undefined,
  wantsSeen: false,
  idempotency: null,
  entropy: '00112233445566778899',
  actionSalt: 'AAAAAAAAAAAAAAAAAAAAAA',
  payloadSalt: null,
};
const agents = Array.from({ length: 1000 }, (_, n) => `0190a5f2-0000-7000-8000-${String(n).padStart(12, '0')}`);

async function measure(name: string, tripOf: (n: number) => CheckTrip): Promise<void> {
  const counters = new InProcessCounters();
  for (const agentId of agents) await counters.raise('agent', agentId, 1);
  await counters.serve();
  const rounds = 400_000;
  const prepared = Array.from({ length: rounds }, (_, n) => tripOf(n));
  for (const trip of prepared.slice(0, 50_000)) counters.checkNow(trip);
  const begun = performance.now();
  for (const trip of prepared) counters.checkNow(trip);
  const direct = ((performance.now() - begun) * 1000) / rounds;
  const begunAwaited = performance.now();
  for (const trip of prepared) await counters.check(trip);
  const awaited = ((performance.now() - begunAwaited) * 1000) / rounds;
  console.log(`${name}: ${direct.toFixed(2)} µs a check, ${awaited.toFixed(2)} µs awaited`);
}

const agentOf = (n: number) => agents[n % agents.length] ?? '';
await measure('spending', (n) => ({ ...base, agentId: agentOf(n) }));
await measure('spending, rate', (n) => ({ ...base, agentId: agentOf(n), rate: { max: 100_000, per_seconds: 3600 } }));
await measure('spending, rate denied', (n) => ({ ...base, agentId: agentOf(n), rate: { max: 10, per_seconds: 3600 } }));
await measure('spending, a new idempotency key each', (n) => ({
  ...base,
  agentId: agentOf(n),
  idempotency: { keySha256: n.toString(16).padStart(64, '0'), bodySha256: 'b'.repeat(64) },
}));
await measure('spending, balances', (n) => ({ ...base, agentId: agentOf(n), wantsSeen: true }));
const onFact = ruleTripOf({
  facts: [{ id: 'secret', key: 'session' }],
  conditional: [ruleOf({ facts: [0], truth: 0b10 })],
});
await measure('spending, a rule on a fact', (n) => ({ ...base, agentId: agentOf(n), rules: onFact }));
for (const count of [1, 4]) {
  const keys = Array.from({ length: count }, (_, index) => `${index}`);
  const limits = keys.map((key) => limitOf({ id: key, key, windowSeconds: 1, max: amountOf('10000') }));
  const rules = ruleTripOf({ limits });
  await measure(`spending, ${count} limits`, (n) => ({ ...base, agentId: agentOf(n), rules }));
}

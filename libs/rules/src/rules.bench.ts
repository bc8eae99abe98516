import type { RuleMember } from '@countersign/contracts';
import { compileRules, judgeRules } from './index.js';
import type { JudgedAction, RuleMembers } from './index.js';

/** Cost of a judgement: `node dist/rules.bench.js`. Prints the median and the 99th percentile, in microseconds. */
const RUNS = 5000;
/** Few, so that a run is seldom interrupted. */
const ROUNDS = 4;

const ports = {
  hosts: (entries: readonly string[]) => (addresses: readonly string[]) =>
    addresses.every((address) => entries.some((entry) => address.startsWith(`https://${entry}/`))),
};

/** About 2 KiB of JSON. */
const PAYLOAD = {
  amount: 99.5,
  currency: 'EUR',
  path: '/srv/data/reports/2026/11/report.pdf',
  to: ['ann@acme.com', 'Bob B. <bob@acme.com>'],
  url: 'https://api.acme.com/v1/users/42',
  sql: 'SELECT id, name FROM users WHERE id = 5',
  customer: { id: 'c-48213', tier: 'gold', since: '2021-03-04' },
  items: Array.from({ length: 20 }, (_, at) => ({
    sku: `A-${at}`,
    price: at * 1.5,
    count: 2,
    note: 'left at the door',
  })),
};

const judged: JudgedAction = {
  action: { type: 'tool_use', tool_name: 'refund', payload: JSON.parse(JSON.stringify(PAYLOAD)) as unknown },
  agent: { id: 'agent' },
  time: 1_790_000_000,
  offsets: { 'Europe/Berlin': 60 },
};

const KINDS: Readonly<Record<string, Omit<RuleMember, 'id'>>> = {
  'args: max': { args: { amount: { max: 100 } }, effect: 'deny_unless' },
  'args: under': { args: { path: { under: ['/srv/data'] } }, effect: 'deny_unless' },
  'args: domain_in': { args: { to: { domain_in: ['acme.com'] } }, effect: 'deny_unless' },
  'args: one_of': { args: { 'customer.tier': { one_of: ['gold', 'silver'] } }, effect: 'deny_unless' },
  'args: read_only_sql': { args: { sql: { read_only_sql: true } }, effect: 'deny_unless' },
  'when: sum': { when: 'has(args.amount) && args.amount + 1 > 200', effect: 'deny' },
  'when: loop': { when: 'has(args.items) && args.items.exists(i, has(i.price) && i.price > 1000)', effect: 'deny' },
  'when: pattern': { when: "has(args.path) && args.path.matches('(^|/)\\\\.ssh(/|$)')", effect: 'deny' },
  hours: { hours: { zone: 'Europe/Berlin', days: 'sat,sun', inside: '00:00-24:00' }, effect: 'deny' },
};

/** @param actions judged in turn; default: one action, again and again */
function measure(name: string, members: RuleMembers, actions: readonly JudgedAction[] = [judged]): void {
  const result = compileRules(members, ports);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  const { compiled } = result;
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const begun = performance.now();
    for (let round = 0; round < ROUNDS; round += 1) {
      const one = actions[(run * ROUNDS + round) % actions.length]!;
      if (judgeRules(compiled, one).findings.length > 0) throw new Error(`${name}: denied`);
    }
    times.push(((performance.now() - begun) * 1000) / ROUNDS);
  }
  times.sort((a, b) => a - b);
  console.log(`${name}: ${times[RUNS / 2]!.toFixed(2)} µs (99 %: ${times[Math.floor(RUNS * 0.99)]!.toFixed(2)})`);
}

measure('no rules', {});
for (const [name, kind] of Object.entries(KINDS)) {
  const rule = { id: 'r', tools: ['refund'], ...kind };
  measure(`one rule, ${name}`, { rules: [rule] });
}
const { 'args: read_only_sql': sql, ...usual } = KINDS;
// Each statement once: none is known when it is judged.
const statements = Array.from({ length: RUNS * ROUNDS }, (_statement, at): JudgedAction => ({
  ...judged,
  action: { type: 'tool_use', tool_name: 'refund', payload: { sql: `SELECT id, name FROM users WHERE id = ${at}` } },
}));
measure('one rule, args: read_only_sql, a statement that is new', { rules: [{ id: 'r', ...sql! }] }, statements);
const kinds = Object.values(usual);
const hundred = Array.from({ length: 100 }, (_rule, at): RuleMember => ({
  id: `r${at}`,
  ...kinds[at % kinds.length]!,
}));
measure('100 rules that all apply', { rules: hundred });
measure('100 rules of which one applies', {
  rules: hundred.map((rule, at) => ({ ...rule, tools: [at === 0 ? 'refund' : `tool${at}`] })),
});
measure('a rule of four facts', {
  facts: ['a', 'b', 'c', 'd'].map((id) => ({ id, set_when: 'false' })),
  rules: [{ id: 'r', when: 'facts.a && facts.b && facts.c && facts.d && agent.id == "x"', effect: 'deny' }],
});
measure('a limit with a key and a sum', {
  limits: [{ id: 'l', key: 'args.customer.id', sum: 'args.amount', max_sum: '500', window_seconds: 3600 }],
});

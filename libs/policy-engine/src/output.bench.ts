import { compileProfile } from './compile-profile.js';
import { decide, decideInSlices } from './decide.js';
import { PII_KINDS } from '@countersign/contracts';
import { emptyProfile } from './profile/profile-fields.js';

/** Many short runs, of which the best counts: on a busy machine a long one is interrupted. */
const RUNS = 150;

/** Cost of the rules of one check: `node dist/output.bench.js`. */
const NONE = emptyProfile('0190a5f2-0000-7000-8000-000000000001');
const SENTENCES =
  'The customer of order 48213 (12 May 2026) asked why 3 of 7 items were late. We refunded 12.50 USD to her, ' +
  'and informed the carrier at depot 5 that parcel 1Z999AA1 was damaged; see ticket SUP-20931 for the photos. ';
/** As JSON gives it: in one piece. */
const TEN_KILOBYTES = JSON.parse(JSON.stringify(SENTENCES.repeat(60).slice(0, 10_240))) as string;

const entries = (count: number, make: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** A profile with `count` entries in each list and every rule set; the check below passes all of it. */
function full(count: number): Parameters<typeof compileProfile>[0] {
  return {
    ...NONE,
    allowed_apis: ['api.example.com', ...entries(count - 1, (i) => `https://h${i % 50}.example.com/v${i}/`)],
    blocked_apis: entries(count, (i) => (i % 2 === 0 ? `*.blocked${i}.example` : `tool${i}.*`)),
    spending_limit: 1e6,
    rate_limit: { max: 100_000, per_seconds: 60 },
    off_limits_actions: entries(count, (i) => `delete_${i}_*`),
    allowed_actions: ['http_call', ...entries(count - 1, (i) => `crm.${i}`)],
    allowed_data_scopes: ['orders', ...entries(count - 1, (i) => `scope${i}`)],
    blocked_data_scopes: entries(count, (i) => `pii.${i}.*`),
    output_rules: {
      blocked_pii: PII_KINDS,
      block_secrets: true,
      blocked_topics: entries(count, (i) => `forbidden topic number ${i}`),
      max_length: 100_000,
    },
  };
}

function measure(name: string, profile: Parameters<typeof compileProfile>[0], payload: unknown, rounds: number): void {
  const compiled = compileProfile(profile);
  const action = {
    type: 'http_call',
    url: 'https://api.example.com/v1/users/42?expand=orders',
    dataScope: 'orders',
    estimatedCost: 0.25,
    payload,
  };
  let best = Infinity;
  for (let run = 0; run < RUNS; run += 1) {
    const begun = performance.now();
    for (let i = 0; i < rounds; i += 1) if (decide(compiled, action).violation !== null) throw new Error('denied');
    best = Math.min(best, ((performance.now() - begun) * 1000) / rounds);
  }
  console.log(`${name}: ${best.toFixed(2)} µs a check`);
}

const SMALL = { message: 'Order 48213 was shipped today.', items: ['A-7', 'B-9'], count: 2 };
measure('no rules', NONE, SMALL, 2_000);
measure('all rules, 10 entries a list', full(10), SMALL, 200);
measure('all rules, 100 entries a list', full(100), SMALL, 200);
measure('all rules, 1,000 entries a list', full(1000), SMALL, 200);
measure('all rules, 1,000 entries a list, an output of 10 KB', full(1000), TEN_KILOBYTES, 5);
for (const kind of PII_KINDS) {
  const rules = { blocked_pii: [kind], block_secrets: false, blocked_topics: [], max_length: null };
  measure(`${kind} alone, an output of 10 KB`, { ...NONE, output_rules: rules }, TEN_KILOBYTES, 5);
}
const SECRETS = { blocked_pii: [], block_secrets: true, blocked_topics: [], max_length: null };
measure('secrets alone, an output of 10 KB', { ...NONE, output_rules: SECRETS }, TEN_KILOBYTES, 5);

/** 1 MiB of input that makes some search restart repeatedly: each should cost about the same. */
const HOSTILE = [
  '1 ',
  '4111 ',
  '+44 1 ',
  'a@',
  'GB12 ',
  '::1:2::',
  'eyJaaaaaaaa.',
  'sk-',
  '://a:',
  '\u0301\u0316',
  '\ufdfa',
  'a\u200b',
];

/** Best of three runs, ms. */
function longestSlice(action: Parameters<typeof decide>[1]): number {
  let best = Infinity;
  for (let run = 0; run < 3; run += 1) {
    let longest = 0;
    const slices = decideInSlices(HOSTILE_RULES, action);
    for (let over = false; !over;) {
      const begun = performance.now();
      over = slices.next().done === true;
      longest = Math.max(longest, performance.now() - begun);
    }
    best = Math.min(best, longest);
  }
  return best;
}

const HOSTILE_RULES = compileProfile({ ...full(1000), rate_limit: null });
for (const text of HOSTILE) {
  const piece = text.repeat(Math.ceil(262_144 / text.length)).slice(0, 262_144);
  const bytes = new TextEncoder().encode(piece).length;
  const payload = Array.from({ length: Math.max(1, Math.floor(1_048_576 / bytes)) }, () => piece);
  const action = { type: 'http_call', url: 'https://api.example.com/', dataScope: 'orders', payload };
  const begun = performance.now();
  decide(HOSTILE_RULES, action);
  const whole = performance.now() - begun;
  console.log(
    `1 MiB of ${JSON.stringify(text)}: ${whole.toFixed(0)} ms, longest slice ${longestSlice(action).toFixed(0)} ms`,
  );
}

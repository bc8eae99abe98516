import type { ArgumentMatcher } from '@countersign/contracts';
import { compileProfile } from './compile-profile.js';
import { decide } from './decide.js';
import type { Action } from './judge/subject.js';
import { emptyProfile } from './profile/profile-fields.js';

const AGENT = '0198a1b2-0000-7000-8000-00000000000a';
const MANY = Array.from({ length: 1_000_000 }, (_, at) => at);
/** Time for one decision, ms. */
const MOST_MS = 1;
const RUNS = 15;

function deep(levels: number, isList: boolean): unknown {
  let value: unknown = 'a';
  for (let level = 0; level < levels; level += 1) value = isList ? [value] : { n: value };
  return value;
}

/** A profile with one rule that denies unless an argument is proven. */
function unless(args: Readonly<Record<string, ArgumentMatcher>>) {
  return compileProfile({ ...emptyProfile(AGENT), rules: [{ id: 'r', args, effect: 'deny_unless' }] });
}

/** A profile with one rule that denies unless a condition holds. */
function unlessWhen(when: string) {
  return compileProfile({ ...emptyProfile(AGENT), rules: [{ id: 'r', when, effect: 'deny_unless' }] });
}

const json = (text: string): unknown => JSON.parse(text);
const pattern = (text: string): string => `has(args.s) && args.s.matches('${text}')`;

const CASES: Readonly<Record<string, readonly [ReturnType<typeof unless>, unknown]>> = {
  'a pattern that makes others search for ever': [unlessWhen(pattern('^(a+)+$')), { s: `${'a'.repeat(30)}!` }],
  'alternatives that overlap': [unlessWhen(pattern('^(a|a)*b$')), { s: 'a'.repeat(1000) }],
  'a text of a mebibyte for a pattern': [unlessWhen(pattern('^(a+)+$')), { s: 'a'.repeat(1_048_576) }],
  'a list of 10^6 elements for a number': [unless({ n: { max: 10 } }), { n: MANY }],
  'a list of 10^6 elements for values': [unless({ n: { one_of: ['a', 1] } }), { n: MANY }],
  'a list of 10^6 elements for addresses': [unless({ n: { domain_in: ['acme.com'] } }), { n: MANY }],
  'a list of 10^6 elements for paths': [unless({ n: { under: ['/srv'] } }), { n: MANY }],
  'a list of 10^6 elements for a condition': [unlessWhen('has(args.n) && args.n.all(x, x >= 0)'), { n: MANY }],
  'lists in each other': [unless({ n: { one_of: ['a'] } }), { n: deep(10_000, true) }],
  'objects in each other': [unless({ 'n.n.n.n': { one_of: ['a'] } }), { n: deep(10_000, false) }],
  'objects in each other that are compared': [
    unlessWhen('has(args.n) && has(args.m) && args.n == args.m'),
    { n: deep(10_000, false), m: deep(10_000, false) },
  ],
  'a member of a prototype': [unless(Object.fromEntries([['constructor', { present: true as const }]])), {}],
  'a member of the prototype of a member': [unless({ 'o.toString': { present: true } }), { o: {} }],
  'a member that a prototype would give': [unless({ amount: { max: 10 } }), json('{"__proto__":{"amount":1}}')],
  'a number beyond 2^53': [unless({ n: { min: 1 } }), json('{"n":9007199254740993}')],
  'a number beyond 2^53 that is negative': [unless({ n: { max: 100 } }), json('{"n":-9007199254740993}')],
  'a number beyond every double': [unless({ n: { min: 1 } }), { n: Infinity }],
  'no number': [unless({ n: { max: 1 } }), { n: NaN }],
  'a number as text': [unless({ n: { max: 100 } }), { n: '1' }],
  ...Object.fromEntries(
    [
      '/srv/../etc',
      '/srv/%2e%2e/etc',
      '/srv/..%2fetc',
      '/srv//../etc',
      '/srvx',
      '/srv\\..\\etc',
      '/srv/\0',
      'srv/a',
    ].map((path) => [`the path ${JSON.stringify(path)}`, [unless({ p: { under: ['/srv'] } }), { p: path }] as const]),
  ),
  ...Object.fromEntries(
    [
      ...['a@x@y', 'a@acme.com@evil.example', 'a@acme.com, b@evil.example', '<a@evil.example> a@acme.com', ''],
      ...['a@acme.com\n', 'a@\u0430cme.com', 'a@acme.com.evil.example', '"a@acme.com"@evil.example', 'acme.com'],
    ].map((to) => [
      `the address ${JSON.stringify(to)}`,
      [unless({ to: { domain_in: ['acme.com'] } }), { to }] as const,
    ]),
  ),
  ...Object.fromEntries(
    [
      ...[
        'https://\u0430cme.com/',
        'https://acme.com@evil.example/',
        'https://acme.com.evil.example/',
        'https://[::1]/',
      ],
      ...[
        'https://evil.example\\@acme.com/',
        '//evil.example/acme.com',
        'javascript:acme.com',
        'https://acm\u0435.com',
      ],
      ...['https://acme\u3002com.evil.example/', 'https://evil.example#@acme.com/'],
    ].map((url) => [
      `the host ${JSON.stringify(url)}`,
      [unless({ u: { host_in: ['acme.com'] } }), { u: url }] as const,
    ]),
  ),
  'a statement after another': [unless({ q: { read_only_sql: true } }), { q: 'SELECT 1; DROP TABLE t' }],
  'a statement of many brackets': [
    unless({ q: { read_only_sql: true } }),
    { q: `SELECT ${'('.repeat(5000)}1${')'.repeat(5000)}` },
  ],
};

describe('hostile arguments', () => {
  it.each(Object.entries(CASES))('%s: denied, within a millisecond', (_what, [profile, payload]) => {
    const action: Action = { type: 'tool_use', tool_name: 't', payload };
    const around = { agentId: AGENT, principal: null, session: null, time: 0 };
    let least = Infinity;
    for (let run = 0; run < RUNS; run += 1) {
      const from = performance.now();
      const { violation, rules } = decide(profile, action, around);
      least = Math.min(least, performance.now() - from);
      expect([violation, rules?.findings.map(({ violation: { rule } }) => rule)]).toEqual([null, ['rules:r']]);
    }
    expect(least).toBeLessThan(MOST_MS);
  });
});

import fc from 'fast-check';
import type { BehaviorProfile } from '@countersign/contracts';
import { compileProfile } from './compile-profile.js';
import { decide } from './decide.js';
import { emptyProfile } from './profile/profile-fields.js';

/** Random runs of a property: all with `COUNTERSIGN_TEST_LONG=true`, a fifth of them in every run. */
const runs = (all: number): number => (process.env['COUNTERSIGN_TEST_LONG'] === 'true' ? all : all / 5);

const EMPTY = emptyProfile('018f4d5e-0000-7000-8000-000000000001');

/** Few names, so that rules and actions often match. */
const name = fc.constantFrom('crm.lookup', 'crm.delete', 'mail.send', 'http_call', 'data_access', 'tool_use');
const nameEntry = fc.oneof(name, fc.constantFrom('crm.*', 'mail.*', '*', 'crm.d*'));
const host = fc.constantFrom('a.example', 'b.a.example', 'c.example');
const apiEntry = fc.oneof(
  nameEntry,
  host,
  fc.constantFrom(
    '*.a.example',
    'c.example:8443',
    'https://a.example/v1/',
    'https://a.example/v1/admin',
    'c.example/x',
  ),
);
const scope = fc.constantFrom('orders', 'orders.read', 'pii.email');
const scopeEntry = fc.oneof(scope, fc.constantFrom('orders.*', 'pii.*'));
const topic = fc.constantFrom('insider trading', 'trading', 'Wetter');
const pii = fc.constantFrom('email', 'phone', 'credit_card');

const list = (entry: fc.Arbitrary<string>): fc.Arbitrary<string[]> => fc.array(entry, { maxLength: 4 });
const outputRules = fc.record({
  blocked_pii: list(pii),
  block_secrets: fc.boolean(),
  blocked_topics: list(topic),
  max_length: fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 40 })),
});
const rules: fc.Arbitrary<Partial<BehaviorProfile>> = fc.record({
  allowed_apis: list(apiEntry),
  blocked_apis: list(apiEntry),
  off_limits_actions: list(nameEntry),
  allowed_actions: list(nameEntry),
  allowed_data_scopes: list(scopeEntry),
  blocked_data_scopes: list(scopeEntry),
  output_rules: fc.oneof(fc.constant(null), outputRules),
});
const url = fc
  .tuple(fc.constantFrom('https://', 'http://', 'HTTPS://u@'), host, fc.constantFrom('', ':8443', '.'))
  .chain(([scheme, at, port]) =>
    fc.constantFrom('', '/', '/v1/x', '/v1/../admin', '/v1/%61dmin', '/x').map((path) => scheme + at + port + path),
  );
const text = fc.constantFrom('a@b.example', '4111111111111111', 'insider  TRADING', 'nothing here', 'x'.repeat(30));
const action = fc.record(
  {
    type: name,
    url: fc.oneof(url, fc.constant('no url')),
    tool_name: name,
    toolName: name,
    dataScope: scope,
    payload: fc.oneof(
      text,
      fc.array(fc.oneof(text, url)),
      fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('url', 'arguments')), fc.oneof(text, url)),
      url.map((address) => JSON.stringify({ address })),
    ),
  },
  { requiredKeys: ['type'] },
);

const profileOf = (given: Partial<BehaviorProfile>): BehaviorProfile => ({ ...EMPTY, ...given });
const verdict = (profile: BehaviorProfile, given: Readonly<Record<string, unknown>>) =>
  decide(compileProfile(profile), given).violation;

const LISTS = [
  'allowed_apis',
  'blocked_apis',
  'off_limits_actions',
  'allowed_actions',
  'allowed_data_scopes',
  'blocked_data_scopes',
] as const;

/** The same profile with one more thing forbidden, or one thing fewer allowed. */
function stricter(profile: BehaviorProfile, pick: number): BehaviorProfile {
  const output = profile.output_rules ?? {
    blocked_pii: [],
    block_secrets: false,
    blocked_topics: [],
    max_length: null,
  };
  const without = (field: (typeof LISTS)[number]): Partial<BehaviorProfile> =>
    profile[field].length > 1 ? { [field]: profile[field].slice(1) } : {};
  const changes: readonly Partial<BehaviorProfile>[] = [
    { blocked_apis: [...profile.blocked_apis, 'a.example'] },
    { blocked_apis: ['crm.*', ...profile.blocked_apis] },
    { off_limits_actions: [...profile.off_limits_actions, 'mail.*'] },
    { blocked_data_scopes: ['pii.*', ...profile.blocked_data_scopes] },
    profile.allowed_apis.length === 0
      ? { allowed_apis: ['c.example'] }
      : // Without any address the list would contain only tools, and such a list limits no address among their arguments.
        { allowed_apis: [...profile.allowed_apis.slice(1), 'https://nothing.invalid/'] },
    profile.allowed_actions.length === 0 ? { allowed_actions: ['crm.lookup'] } : without('allowed_actions'),
    profile.allowed_data_scopes.length === 0 ? { allowed_data_scopes: ['orders'] } : without('allowed_data_scopes'),
    { output_rules: { ...output, blocked_pii: ['phone', ...output.blocked_pii] } },
    { output_rules: { ...output, block_secrets: true } },
    { output_rules: { ...output, blocked_topics: [...output.blocked_topics, 'nothing'] } },
    { output_rules: { ...output, max_length: Math.floor((output.max_length ?? 60) / 2) } },
  ];
  return { ...profile, ...changes[pick % changes.length] };
}

describe('decide', () => {
  it('has a decision for any value', () => {
    const loose = fc.record(
      {
        type: fc.anything(),
        url: fc.oneof(fc.webUrl(), fc.string({ unit: 'binary' }), fc.anything()),
        tool_name: fc.anything(),
        toolName: fc.anything(),
        dataScope: fc.anything(),
        estimatedCost: fc.anything(),
        payload: fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.anything({ withBigInt: true, withDate: true, withMap: true }),
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(rules, fc.oneof(loose, fc.anything()), (given, received) => {
        const decision = decide(compileProfile(profileOf(given)), received as Readonly<Record<string, unknown>>);
        expect(Number.isSafeInteger(decision.costMicros)).toBe(true);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('does not depend on the order of the entries', () => {
    fc.assert(
      fc.property(rules, action, (given, received) => {
        const profile = profileOf(given);
        const output = profile.output_rules;
        const turned = { ...profile };
        for (const field of LISTS) turned[field as 'allowed_apis'] = [...profile[field]].reverse();
        if (output !== null) {
          turned.output_rules = {
            ...output,
            blocked_pii: [...output.blocked_pii].reverse(),
            blocked_topics: [...output.blocked_topics].reverse(),
          };
        }
        const one = verdict(profile, received);
        const other = verdict(turned, received);
        expect(other?.violation_type).toBe(one?.violation_type);
        expect(other?.extras).toEqual(one?.extras);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('never allows under more restrictions what it denied under fewer', () => {
    fc.assert(
      fc.property(rules, action, fc.nat(), (given, received, pick) => {
        const profile = profileOf(given);
        if (verdict(profile, received) !== null) expect(verdict(stricter(profile, pick), received)).not.toBeNull();
      }),
      { numRuns: runs(5000) },
    );
  });

  it('never allows with further members what it denied without', () => {
    const twin = fc.constantFrom('uri', 'URL', 'href', 'estimated_cost', 'ToolName', 'data_scope', 'Payload');
    const near = fc.constantFrom('link', 'cost', 'total', 'tool', 'scope', 'output', 'host', 'currency', 'note');
    const values = fc.oneof(name, url, text, fc.integer({ min: 0, max: 3 }), fc.constant(null));
    const further = fc.dictionary(fc.oneof(twin, near, fc.string()), values, { maxKeys: 4 });
    const limited = fc.record({
      require: fc.constantFrom(['cost' as const], ['url' as const]),
      spending_limit: fc.nat(),
    });
    const costly = fc.record({ estimatedCost: fc.constantFrom(0, 1, 2), metadata: further }, { requiredKeys: [] });
    const namesArguments = new Set(['Payload', 'tool', 'ToolName']);
    const read = new Set(['type', 'url', 'payload', 'metadata', 'dataScope', 'estimatedCost', 'tool_name', 'toolName']);
    let added = 0;
    fc.assert(
      fc.property(
        fc.option(rules),
        fc.option(limited),
        action,
        costly,
        further,
        (given, limits, received, cost, members) => {
          const profile = profileOf({ ...given, ...limits });
          const before = { ...received, ...cost };
          const more = Object.entries(members).filter(([name]) => !read.has(name));
          const after = verdict(profile, { ...Object.fromEntries(more), ...before });
          const denied = verdict(profile, before);
          // The arguments of a call are read under other names than payload, and of an action that names a tool: they
          // may name the required address.
          const addressed = denied?.rule === 'require:url' && more.some(([member]) => namesArguments.has(member));
          if (denied !== null && !addressed) expect(after).not.toBeNull();
          else if (after !== null) added += 1;
        },
      ),
      { numRuns: runs(5000) },
    );
    expect(added).toBeGreaterThan(runs(50));
  });

  it('gives the same decision whatever it has judged before', () => {
    fc.assert(
      fc.property(rules, fc.array(action, { minLength: 1, maxLength: 12 }), (given, received) => {
        const profile = compileProfile(profileOf(given));
        const inTurn = received.map((one) => decide(profile, one));
        const alone = received.map((one) => decide(compileProfile(profileOf(given)), one));
        expect(inTurn).toEqual(alone);
      }),
      { numRuns: runs(500) },
    );
  });

  it('gives the same decision again, and does not change profile and action', () => {
    fc.assert(
      fc.property(rules, action, (given, received) => {
        const profile = compileProfile(profileOf(given));
        const before = JSON.stringify(received);
        const first = decide(profile, received);
        expect(decide(profile, received)).toEqual(first);
        expect(JSON.stringify(received)).toBe(before);
      }),
    );
  });
});

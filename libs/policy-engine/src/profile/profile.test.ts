import fc from 'fast-check';
import type { BehaviorProfile } from '@countersign/contracts';
import { compileProfile } from '../compile-profile.js';
import { applyProfilePatch, mergeSafetyRules } from './apply-patch.js';
import { emptyProfile } from './profile-fields.js';
import { profileWarnings } from './profile-warnings.js';
import { profileProblem, readProfilePatch } from './read-patch.js';

const EMPTY = emptyProfile('018f4d5e-0000-7000-8000-000000000001');
const refused = (body: unknown): string => {
  const read = readProfilePatch(body);
  return 'error' in read ? read.error : 'accepted';
};

describe('readProfilePatch', () => {
  it.each([
    [null],
    [[]],
    ['text'],
    [{ unknown: 1 }],
    [JSON.parse('{"__proto__":{}}')],
    [{ mode: null }],
    [{ mode: 'off' }],
    [{ allowed_apis: null }],
    [{ allowed_apis: 'a' }],
    [{ allowed_apis: [1] }],
    [{ allowed_apis: [''] }],
    [{ allowed_apis: ['a'.repeat(513)] }],
    [{ allowed_apis: Array(1001).fill('a') }],
    [{ blocked_apis: ['a*b'] }],
    [{ blocked_apis: [' a.example'] }],
    [{ off_limits_actions: ['wire\n'] }],
    [{ blocked_apis: ['*.*.example.com'] }],
    [{ blocked_apis: ['*.10.0.0.1'] }],
    [{ blocked_apis: ['https://*.example.com/'] }],
    [{ blocked_apis: ['https://a.example/x*'] }],
    [{ blocked_apis: ['ftp://a.example/'] }],
    [{ blocked_apis: ['https://user@a.example/'] }],
    [{ blocked_apis: ['https://a.example/?q'] }],
    [{ off_limits_actions: ['*.example.com'] }],
    [{ allowed_data_scopes: ['**'] }],
    [{ spending_limit: -1 }],
    [{ spending_limit: '5' }],
    [{ spending_window: 'year' }],
    [{ rate_limit: { max: 1 } }],
    [{ rate_limit: { max: -1, per_seconds: 1 } }],
    [{ rate_limit: { max: 100_001, per_seconds: 1 } }],
    [{ rate_limit: { max: 1, per_seconds: 0 } }],
    [{ rate_limit: { max: 1, per_seconds: 1, burst: 2 } }],
    [{ freeze_on_violation: 'yes' }],
    [{ output_rules: [] }],
    [{ output_rules: { block_secrets: 1 } }],
    [{ output_rules: { blocked_pii: ['passport'] } }],
    [{ output_rules: { blocked_pii: 'email' } }],
    [{ output_rules: { blocked_topics: [' \u200b '] } }],
    [{ output_rules: { blocked_topics: ['x'.repeat(513)] } }],
    [{ output_rules: { max_length: -1 } }],
    [{ output_rules: { max_length: 1.5 } }],
    [{ output_rules: { language: 'en' } }],
    [{ version: 0 }],
    [{ allowed_data_scopes: ['/srv/../etc'] }],
    [{ blocked_data_scopes: ['/srv/%2e%2e/*'] }],
    [{ blocked_data_scopes: ['..'] }],
    [{ require: 'cost' }],
    [{ require: ['price'] }],
  ])('refuses %j', (body) => {
    expect(refused(body)).not.toBe('accepted');
  });

  it.each([
    [{}],
    [{ allowed_apis: ['api.example.com', '*.example.com', 'https://api.example.com/v1/', 'crm.lookup', 'crm.*', '*'] }],
    [{ blocked_apis: ['localhost:8080', '[::1]', '::1', '10.0.0.1', 'files/read', 'a'.repeat(512)] }],
    [{ spending_limit: 0, spending_window: 'month', rate_limit: { max: 0, per_seconds: 60 } }],
    [{ spending_limit: null, rate_limit: null, output_rules: null }],
    [{ output_rules: {} }],
    [
      {
        output_rules: { blocked_pii: ['email', 'phone'], block_secrets: true, blocked_topics: ['x y'], max_length: 0 },
      },
    ],
    [{ mode: 'observe', off_limits_actions: ['*'], allowed_actions: ['crm.*'] }],
    [EMPTY],
    [{ require: ['cost', 'url', 'data_scope', 'tool'] }],
    [{ require: null }],
    [{ allowed_data_scopes: ['/srv/data/*', 'a..b', 'C:\\x', '50%'] }],
  ])('accepts %j', (body) => {
    expect(refused(body)).toBe('accepted');
  });

  it('never throws, and compiles what it accepts', () => {
    const entry = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.domain().map((name) => `*.${name}`),
      fc.constantFrom('a*', '[::1]:80', 'x/%'),
    );
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { allowed_apis: fc.array(entry), blocked_apis: fc.array(entry), spending_limit: fc.jsonValue() },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(body, (value) => {
        const read = readProfilePatch(value);
        if ('patch' in read) compileProfile(applyProfilePatch(EMPTY, read.patch));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('applyProfilePatch', () => {
  it('replaces output rules whole: an omitted rule is unset', () => {
    const patched = (body: unknown) => {
      const read = readProfilePatch(body);
      if ('error' in read) throw new Error(read.error);
      return read.patch;
    };
    const first = applyProfilePatch(EMPTY, patched({ output_rules: { blocked_pii: ['email'], max_length: 9 } }));
    const second = applyProfilePatch(first, patched({ output_rules: { block_secrets: true } }));
    expect(second.output_rules).toEqual({ blocked_pii: [], block_secrets: true, blocked_topics: [], max_length: null });
    expect(applyProfilePatch(second, patched({ output_rules: { block_secrets: true } }))).toBe(second);
    expect(profileProblem(second)).toBeNull();
  });

  it('increments the version, and gives the same object when nothing differs', () => {
    const changed = applyProfilePatch(EMPTY, { allowed_apis: ['a'], rate_limit: { max: 1, per_seconds: 2 } });
    expect(changed.version).toBe(2);
    expect(changed.allowed_apis).toEqual(['a']);
    expect(applyProfilePatch(changed, { allowed_apis: ['a'], rate_limit: { per_seconds: 2, max: 1 } })).toBe(changed);
    expect(applyProfilePatch(changed, { agent_id: 'other', version: 9 })).toBe(changed);
    expect(applyProfilePatch(changed, { rate_limit: null }).rate_limit).toBeNull();
  });
});

describe('require', () => {
  it('is no member of a profile that does not set it, so that its hash stays', () => {
    const changed = applyProfilePatch(EMPTY, { require: ['cost', 'cost', 'url'] });
    expect(changed).toEqual({ ...EMPTY, version: 2, require: ['cost', 'url'] });
    expect(profileProblem(changed)).toBeNull();
    for (const unset of [null, []]) {
      expect(applyProfilePatch(EMPTY, { require: unset })).toBe(EMPTY);
      const without = applyProfilePatch(changed, { require: unset });
      expect(without).toEqual({ ...EMPTY, version: 3 });
      expect(Object.hasOwn(without, 'require')).toBe(false);
    }
    expect(applyProfilePatch(changed, { require: ['cost', 'url'] })).toBe(changed);
    expect(applyProfilePatch(changed, { mode: 'observe' }).require).toEqual(['cost', 'url']);
  });

  it('is united with that of a safety package', () => {
    const ours = applyProfilePatch(EMPTY, { require: ['cost'] });
    expect(mergeSafetyRules(ours, { require: ['tool', 'cost'] }).require).toEqual(['cost', 'tool']);
    expect(mergeSafetyRules(EMPTY, { require: ['tool'] }).require).toEqual(['tool']);
    expect(mergeSafetyRules(ours, { require: null })).toBe(ours);
  });
});

describe('a stored profile', () => {
  it('with a data scope that goes up stays in force, though no patch may set it', () => {
    const stored = { ...EMPTY, blocked_data_scopes: ['/srv/../etc', '/srv/secret'] };
    expect(profileProblem(stored)).toBeNull();
    expect(() => compileProfile(stored)).not.toThrow();
    expect(refused({ blocked_data_scopes: stored.blocked_data_scopes })).toContain('blocked_data_scopes[0]');
  });
});

describe('profileWarnings', () => {
  it.each<[Partial<BehaviorProfile>, readonly (string | RegExp)[]]>([
    [{}, []],
    [{ allowed_apis: ['http//foo'] }, [/^allowed_apis\[0\] "http\/\/foo" is not a URL prefix/]],
    [{ allowed_apis: ['ok.example', 'https:/x.example'] }, [/^allowed_apis\[1\] .*two slashes/]],
    [{ allowed_apis: ['/srv/data/'] }, [/is a path: no host or tool is called this/]],
    [{ allowed_apis: ['api.example.com/v1/*'] }, [/tools of that name alone/]],
    [{ blocked_apis: ['api..example.com'] }, [/neither a host nor the name of a tool/]],
    [{ blocked_apis: ['refund tool', 'a@b@c', '.x'] }, [/neither/, /neither/, /neither/]],
    [{ blocked_apis: ['api.example.com:99999'] }, [/port/]],
    [{ blocked_apis: ['256.1.1.1'] }, [/IP address/]],
    [{ blocked_data_scopes: ['/a/../b'] }, [/goes up/]],
    [{ allowed_apis: ['crm.*', 'crm.lookup', 'files/read', 'mcp__x-y', '*', 'a:b', '*.example.com', '@scope/x'] }, []],
    [{ blocked_apis: ['evil.example/*', 'localhost:8080', '::1', 'https://x.example/a'] }, []],
    [
      {
        allowed_apis: ['a.b.example', 'https://c.example/v1/x/', 'crm.a', 'd.example'],
        blocked_apis: ['*.b.example', 'c.example/v1', 'crm.*', 'd.example:443'],
      },
      [
        /^allowed_apis\[0\] .*"\*\.b\.example"/,
        /^allowed_apis\[1\] .*"c\.example\/v1"/,
        /^allowed_apis\[2\] .*"crm\.\*"/,
      ],
    ],
    [{ allowed_apis: ['*.b.example', 'b.example'], blocked_apis: ['*.b.example'] }, [/^allowed_apis\[0\]/]],
    [{ allowed_apis: ['*.b.example', 'x'], blocked_apis: ['b.example', 'https://x/'] }, []],
    [{ allowed_actions: ['crm.a', 'b'], off_limits_actions: ['crm.*'] }, [/^allowed_actions\[0\] "crm.a" is covered/]],
    [
      { allowed_data_scopes: ['/srv//a/x', '/srv/*'], blocked_data_scopes: ['/srv/a/*'] },
      [/^allowed_data_scopes\[0\]/],
    ],
  ])('of %j', (given, expected) => {
    const warnings = profileWarnings({ ...EMPTY, ...given });
    expect(warnings).toEqual(expected.map((words) => expect.stringMatching(words)));
  });

  it('are twenty at most, and the number of the others', () => {
    const warnings = profileWarnings({ ...EMPTY, allowed_apis: Array.from({ length: 1000 }, (_, i) => `/p${i}`) });
    expect(warnings).toHaveLength(21);
    expect(warnings.at(-1)).toBe('and 980 more');
  });
});

describe('mergeSafetyRules', () => {
  it('unites lists and takes the stricter number', () => {
    const ours = { ...EMPTY, blocked_apis: ['a'], spending_limit: 50, rate_limit: { max: 10, per_seconds: 60 } };
    const merged = mergeSafetyRules(ours, {
      blocked_apis: ['b', 'a'],
      spending_limit: 100,
      spending_window: 'month',
      rate_limit: { max: 5, per_seconds: 60 },
      freeze_on_violation: true,
      mode: 'observe',
    });
    expect(merged).toEqual({
      ...ours,
      version: 2,
      blocked_apis: ['a', 'b'],
      spending_window: 'month',
      rate_limit: { max: 5, per_seconds: 60 },
      freeze_on_violation: true,
    });
    expect(mergeSafetyRules(merged, { blocked_apis: ['a'], spending_limit: 60 })).toBe(merged);
    expect(mergeSafetyRules(EMPTY, { spending_limit: 1, spending_window: 'action' })).toMatchObject({
      spending_limit: 1,
      spending_window: 'action',
    });
  });

  it.each([
    [
      { max: 1, per_seconds: 1 },
      { max: 30, per_seconds: 3600 },
      { max: 1, per_seconds: 3600 },
    ],
    [
      { max: 100, per_seconds: 60 },
      { max: 30, per_seconds: 3600 },
      { max: 30, per_seconds: 3600 },
    ],
    [
      { max: 5, per_seconds: 60 },
      { max: 9, per_seconds: 60 },
      { max: 5, per_seconds: 60 },
    ],
  ])('denies what either of the rates %j and %j denies, in any order', (one, other, merged) => {
    for (const [ours, theirs] of [
      [one, other],
      [other, one],
    ] as const) {
      const profile = mergeSafetyRules({ ...EMPTY, rate_limit: ours }, { rate_limit: theirs });
      expect(profile.rate_limit).toEqual(merged);
      expect(mergeSafetyRules(profile, { rate_limit: theirs })).toBe(profile);
    }
  });

  it.each([
    [
      { limit: 1000, window: 'month' },
      { limit: 100, window: 'day' },
      { limit: 100, window: 'month' },
    ],
    [
      { limit: 50, window: 'action' },
      { limit: 100, window: 'day' },
      { limit: 50, window: 'day' },
    ],
    [
      { limit: 50, window: 'day' },
      { limit: 50, window: 'month' },
      { limit: 50, window: 'month' },
    ],
  ] as const)('loosens neither of two spending limits: %j with %j is %j', (one, other, merged) => {
    const rules = ({ limit, window }: typeof one | typeof other) => ({
      spending_limit: limit,
      spending_window: window,
    });
    for (const [ours, theirs] of [
      [one, other],
      [other, one],
    ] as const) {
      const both = mergeSafetyRules({ ...EMPTY, ...rules(ours) }, rules(theirs));
      expect([both.spending_limit, both.spending_window]).toEqual([merged.limit, merged.window]);
    }
  });

  it('unites output rules and takes the shorter length', () => {
    const ours = { blocked_pii: ['email'], block_secrets: false, blocked_topics: ['a'], max_length: 100 };
    const theirs = { blocked_pii: ['iban', 'email'], block_secrets: true, blocked_topics: [], max_length: 200 };
    const merged = mergeSafetyRules({ ...EMPTY, output_rules: ours }, { output_rules: theirs });
    expect(merged.output_rules).toEqual({
      blocked_pii: ['email', 'iban'],
      block_secrets: true,
      blocked_topics: ['a'],
      max_length: 100,
    });
    expect(mergeSafetyRules(EMPTY, { output_rules: theirs }).output_rules).toEqual(theirs);
    expect(mergeSafetyRules(merged, { output_rules: theirs })).toBe(merged);
  });
});

describe('profileProblem', () => {
  it('requires every field, each as a PATCH would take it', () => {
    expect(profileProblem(EMPTY)).toBeNull();
    expect(profileProblem({ ...EMPTY, output_rules: { block_secrets: true } })).not.toBeNull();
    expect(profileProblem({ ...EMPTY, later_rule: 1 })).not.toBeNull();
    expect(profileProblem({ version: 1 })).not.toBeNull();
    expect(profileProblem(null)).not.toBeNull();
  });
});

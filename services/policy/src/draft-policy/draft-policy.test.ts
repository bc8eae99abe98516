import fc from 'fast-check';
import type { JsonValue } from '@countersign/contracts';
import { applyProfilePatch, emptyProfile } from '@countersign/policy-engine';
import type { ProfilePatch } from '@countersign/policy-engine';
import { record } from '../dry-run/dry-run.test-context.js';
import type { GivenCheck } from '../dry-run/dry-run.test-context.js';
import type { RecordedCheck } from '../dry-run/replay-checks.js';
import { draftFindings } from '../policy-file/draft-findings.js';
import { readPolicyFile } from '../policy-file/read-policy-file.js';
import { AGENT } from '../policy.test-context.js';
import { draftPolicy } from './draft-policy.js';
import type { DraftOptions, PolicyDraft } from './draft-policy.js';

const OPTIONS: DraftOptions = { holdout: 0, denyAtMost: 0, headroom: 1.5, least: 20, withoutArguments: false };
const MINUTE = 60_000;
const profileOf = (patch: ProfilePatch) => applyProfilePatch(emptyProfile(AGENT), { store_payload: true, ...patch });
const KEPT = profileOf({});

function checksOf(given: readonly GivenCheck[], profile = KEPT): RecordedCheck[] {
  return record(profile, given).map(({ envelope: { leaf, openings }, erased }) => ({ leaf, opened: openings, erased }));
}

const call = (tool_name: string, payload: JsonValue, after = 0, session = 's'): GivenCheck => ({
  action: { type: 'tool_use', tool_name, payload, metadata: { session } },
  after,
});
const times = (count: number, check: (n: number) => GivenCheck): GivenCheck[] =>
  Array.from({ length: count }, (_, n) => check(n));

async function draft(given: readonly GivenCheck[], options: Partial<DraftOptions> = {}, profile = KEPT) {
  const made = await draftPolicy(checksOf(given, profile), profile, { ...OPTIONS, ...options });
  if ('refusal' in made) throw new Error(made.refusal);
  return made;
}

const matchers = ({ profile }: PolicyDraft) =>
  Object.assign({}, ...(profile.rules ?? []).map(({ args }) => args)) as object;

const WORK = [
  ...times(40, (n) =>
    call(
      'refund',
      {
        customer: `c-${n % 4}`,
        amount: 20 + (n % 10) * 9.5,
        currency: n % 2 === 0 ? 'EUR' : 'USD',
        order: `ORD-${12_345 + n}`,
        dry_run: false,
        note: `for ann.smith@private.example, card 4111 1111 1111 1111, ${'x'.repeat(n * 3)}`,
        ...(n % 2 === 0 ? { reason: 'late' } : {}),
      },
      n * 5 * MINUTE,
      `s-${n % 3}`,
    ),
  ),
  ...times(30, (n) =>
    call(
      'send_email',
      { to: [`ann.smith${n}@acme.com`, `Bob Jones <bob@mail.acme.org>`] },
      200 * MINUTE + n,
      `s-${n % 3}`,
    ),
  ),
  ...times(30, (n) => call('run_sql', { query: `SELECT a FROM t WHERE n = ${n}` }, 201 * MINUTE + n, `s-${n % 3}`)),
  ...times(30, (n) =>
    call('read_file', { path: ['', 'home', 'ann', 'notes', `${n}.txt`].join('/') }, 202 * MINUTE + n, `s-${n % 3}`),
  ),
  ...times(30, (n) => call('write_file', { path: `/srv/data/reports/2026/q${n}.csv` }, 203 * MINUTE + n, `s-${n % 3}`)),
  ...times(30, (n) => call('fetch_page', { page: `https://api.acme.com/v1/${n}` }, 204 * MINUTE + n, `s-${n % 3}`)),
];

describe('a draft from recorded checks', () => {
  it('has the matcher that the values of each member suggest', async () => {
    expect(matchers(await draft(WORK))).toEqual({
      customer: { max_length: 64 },
      amount: { min: 0, max: 110 },
      currency: { one_of: ['EUR', 'USD'] },
      order: { prefix: 'ORD-' },
      dry_run: { one_of: [false] },
      note: { max_length: expect.any(Number) },
      reason: { one_of: ['late'], absent: 'allow' },
      to: { domain_in: ['acme.com', 'mail.acme.org'] },
      query: { read_only_sql: true, max_length: 64 },
      path: { under: ['/srv/data/reports'] },
      page: { host_in: ['api.acme.com'] },
    });
  });

  it('lists what was called, and bounds counts and sums with headroom', async () => {
    const { profile, drafted } = await draft(WORK);
    expect(profile.allowed_actions).toEqual([
      'fetch_page',
      'read_file',
      'refund',
      'run_sql',
      'send_email',
      'write_file',
    ]);
    // 150 checks at the end and 12 refunds in the hour before: 162, with the factor 1.5 and two digits.
    expect(profile.rate_limit).toEqual({ max: 250, per_seconds: 3600 });
    expect(profile.limits).toEqual([
      { id: 'session-checks', key: 'session', max_count: expect.any(Number), window_seconds: 3600 },
      { id: 'refund-by-customer', tools: ['refund'], key: 'args.customer', max_count: 5, window_seconds: 3600 },
      {
        id: 'refund-sum-amount',
        tools: ['refund'],
        sum: 'args.amount',
        max_sum: expect.any(String),
        window_seconds: 3600,
      },
    ]);
    const ofCustomer = drafted.find(({ place }) => place === 'limits:refund-by-customer');
    expect(ofCustomer).toMatchObject({ checks: 40, peak: 3 });
  });

  it('is a policy without findings, denies nothing that it rests on, and is the same again', async () => {
    const made = await draft(WORK);
    expect(made.replay.before).toMatchObject({ evaluated: WORK.length, flips: { toDenied: 0, toAllowed: 0 } });
    const file = readPolicyFile({ profile: JSON.parse(JSON.stringify(made.profile)) as unknown });
    expect(draftFindings(file)).toEqual([]);
    expect(await draft(WORK)).toEqual(made);
  });

  it('shows nothing of people and no secrets', async () => {
    const secrets = times(25, (n) =>
      call('log_in', {
        user: 'ann',
        who: 'Ann',
        approved_by: 'bob',
        doctor: 'jones',
        patient: `smith-${'abcde'[n % 5]}`,
        mail: 'ann.smith@private.example',
        api_key: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
        token: 'abc',
        url: 'https://ann:hunter2@private.example/',
        by_person: { 'ann.smith@private.example': n },
      }),
    );
    const text = JSON.stringify(await draft([...WORK, ...secrets]).then(({ profile, drafted }) => [profile, drafted]));
    expect(text).not.toMatch(/ann|smith|bob|jones|hunter|sk_live|4111|"abc"/i);
  });

  it('says what it would deny of checks that were held out, which are the newest', async () => {
    const later = times(10, () => call('refund', { amount: 5000 }, 300 * MINUTE));
    const before = times(40, () => call('refund', { amount: 50 }));
    const { replay, rests, profile } = await draft([...before, ...later], { holdout: 0.2 });
    expect([rests, matchers({ profile } as PolicyDraft)]).toEqual([40, { amount: { min: 0, max: 50 } }]);
    expect(replay.before.flips.toDenied).toBe(0);
    expect(replay.held).toMatchObject({ checks: 10, flips: { toDenied: 10 } });
    expect(replay.held.byRule.map(({ rule }) => rule)).toEqual(['rules:refund-amount']);
  });

  it('leaves out rare values only where a share of denials is allowed', async () => {
    const given = [...times(99, () => call('refund', { amount: 50 })), call('refund', { amount: 9000 })];
    expect(matchers(await draft(given))).toEqual({ amount: { min: 0, max: 9000 } });
    const loose = await draft(given, { denyAtMost: 0.01 });
    expect(matchers(loose)).toEqual({ amount: { min: 0, max: 50 } });
    expect(loose.replay.before.flips.toDenied).toBe(1);
  });

  it('keeps what is in force, and never loosens it', async () => {
    const profile = profileOf({
      allowed_actions: ['ref*'],
      rate_limit: { max: 9000, per_seconds: 60 },
      off_limits_actions: ['wire'],
      rules: [{ id: 'refund-amount', effect: 'deny_unless', args: { amount: { max: 90 } } }],
    });
    const given = times(40, (n) => call('refund', { amount: 50, currency: 'EUR' }, n * 10 * MINUTE));
    const made = await draft(given, {}, profile);
    expect(made.profile).toMatchObject({
      allowed_actions: ['ref*'],
      rate_limit: { max: 9000 },
      off_limits_actions: ['wire'],
    });
    expect(made.profile.rules?.map(({ id }) => id)).toEqual(['refund-amount', 'refund-currency']);
    expect(made.leftOut.map(({ what }) => what)).toEqual(['allowed_actions', 'rate_limit', 'rules:refund-amount']);
  });

  it('bounds the hosts of calls where a list of hosts would deny other actions', async () => {
    const calls = times(30, (n) => ({ action: { type: 'http_call', url: `https://api.acme.com/${n}` } }));
    const alone = await draft(calls);
    expect(alone.profile.allowed_apis).toEqual(['api.acme.com']);
    const mixed = await draft([...calls, ...times(30, () => call('ping', {}))]);
    expect(mixed.profile.allowed_apis).toBeUndefined();
    expect(mixed.profile.rules).toMatchObject([
      { id: 'http_call-host', types: ['http_call'], when: "has(action.url) && host_in(action.url, ['api.acme.com'])" },
    ]);
  });

  it.each<[string, readonly GivenCheck[], (checks: RecordedCheck[]) => RecordedCheck[], RegExp]>([
    [
      'too few',
      times(19, () => call('a', {})),
      (all) => all,
      /needs 20 allowed checks that can be read, and there are 19/,
    ],
    [
      'erased',
      times(30, () => call('a', { n: 1 })),
      (all) => all.map((one, n) => (n < 15 ? { leaf: one.leaf, opened: {}, erased: true } : one)),
      /there are 15: of 30 checks the content of 15 is erased/,
    ],
    [
      'withheld',
      times(30, () => call('a', { n: 1 })),
      (all) => all.map(({ opened: { action }, ...one }) => ({ ...one, opened: { ...(action && { action }) } })),
      /the arguments of all 30 allowed checks were withheld.*store_payload.*--without-arguments/,
    ],
  ])('is refused where the checks are %s', async (_what, given, change, sentence) => {
    const made = await draftPolicy(change(checksOf(given)), KEPT, OPTIONS);
    expect(made).toEqual({ refusal: expect.stringMatching(sentence) });
  });

  it('has lists alone where arguments were withheld, if that is asked for', async () => {
    const profile = profileOf({ store_payload: false });
    const made = await draft(
      times(30, () => call('a', { n: 1 })),
      { withoutArguments: true },
      profile,
    );
    expect([made.profile.allowed_actions, made.profile.rules]).toEqual([['a'], undefined]);
  });

  it('counts no denied check, and none that only the mode observe allowed', async () => {
    const profile = profileOf({ off_limits_actions: ['wire'], mode: 'observe' });
    const given = [...times(30, () => call('a', {})), ...times(30, () => call('wire', {}))];
    const made = await draft(given, {}, profile);
    expect([made.readable.notAllowed, made.rests, made.profile.allowed_actions]).toEqual([30, 30, ['a']]);
  });

  it('denies no more than it may and has no findings, whatever the checks are', () => {
    const value = fc.oneof(
      fc.constantFrom(
        'a',
        'EUR',
        '/srv/a/b',
        'x@y.example',
        'https://h.example/p',
        'SELECT 1',
        '',
        ' ',
        'ORD-1',
        '%2e',
      ),
      fc.string(),
      fc.double({ noNaN: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.string(), { maxLength: 3 }),
      fc.dictionary(fc.string(), fc.integer(), { maxKeys: 3 }),
    );
    const payload = fc.dictionary(fc.constantFrom('to', 'amount', 'customer', 'path', 'a.b', 'x', '__proto__'), value);
    const one = fc.record({
      tool: fc.constantFrom('pay', 'Send Mail', 'crm*', 'in'),
      payload,
      gap: fc.nat(2_000_000),
      session: fc.constantFrom('1', '2', '3'),
    });
    return fc.assert(
      fc.asyncProperty(
        fc.array(one, { minLength: 12, maxLength: 40 }),
        fc.constantFrom(0, 0.1, 0.3),
        async (given, denyAtMost) => {
          let after = 0;
          const checks = given.map(({ tool, payload: args, gap, session }) =>
            call(tool, args as JsonValue, (after += gap), session),
          );
          const made = await draft(checks, { denyAtMost, least: 3 });
          expect(made.replay.before.flips.toDenied).toBeLessThanOrEqual(Math.floor(denyAtMost * made.rests));
          const file = readPolicyFile({ profile: JSON.parse(JSON.stringify(made.profile)) as unknown });
          expect(draftFindings(file)).toEqual([]);
          expect(JSON.stringify(made.profile)).not.toContain('@');
        },
      ),
      { numRuns: 60 },
    );
  });
});

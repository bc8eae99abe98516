import fc from 'fast-check';
import { checkAnswer } from '@countersign/contracts';
import type { EventEnvelope, JsonValue } from '@countersign/contracts';
import type { Judgement } from '@countersign/counters';
import { fromHex, opens, readContext, readEnvelope, toBase64Url, uuidV7 } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { circumstancesText } from './check-context.js';
import { checkEvent } from './check-event.js';
import type { CheckFacts } from './check-event.js';
import { committed } from './committed.js';
import type { Committed } from './committed.js';
import { eventIdOf } from './event-id.js';

const hex = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array) => Buffer.from(array).toString('hex'));
const salt = fc.uint8Array({ minLength: 16, maxLength: 16 }).map(toBase64Url);
const anyCommitted = (value: fc.Arbitrary<unknown>): fc.Arbitrary<Committed> =>
  // As a body arrives: through JSON.
  value.map((given) => committed(JSON.parse(JSON.stringify(given)) as JsonValue));
const json = fc.jsonValue({ stringUnit: 'grapheme' });

const facts: fc.Arbitrary<CheckFacts> = fc.record({
  accountId: fc.uuid(),
  sandbox: fc.boolean(),
  cadenceSeconds: fc.constantFrom(1, 300, 3600),
  apiKeyId: fc.uuid(),
  agentId: fc.uuid(),
  profileVersion: fc.integer({ min: 1, max: 1e6 }),
  profileSha256: hex(32),
  storePayload: fc.boolean(),
  coverage: fc.constantFrom([], ['rate_limit'], ['allowed_apis', 'rules']),
  plan: fc.record({
    cap: fc.option(fc.maxSafeNat()),
    expires: fc.option(fc.constant('2026-03-02T10:00:00.000Z')),
  }),
  origin: fc.record({
    principal: fc.option(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 })),
    session: fc.option(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 50 })),
    trace: fc.constant(null),
  }),
  actionKind: fc.constantFrom('http_call', 'llm_response', 'data_access', 'tool_use', 'other'),
  action: anyCommitted(fc.dictionary(fc.string({ unit: 'grapheme' }), json)),
  payload: fc.option(anyCommitted(json)),
  idempotency: fc.option(fc.record({ keySha256: hex(32), bodySha256: hex(32) })),
  upgradeUrl: fc.constant('https://example.com/"upgrade"'),
  approvalsUrl: fc.constant('https://example.com/#'),
});

const violation = fc.record({
  violation_type: fc.constantFrom('api_not_allowed', 'off_limits_action', 'spending_limit_exceeded'),
  severity: fc.constantFrom('P1', 'P2', 'P3'),
  reason: fc.string({ unit: 'grapheme' }),
  rule: fc.option(fc.string({ unit: 'grapheme' })),
  detail: fc.option(fc.string({ unit: 'grapheme' })),
  extras: fc.option(fc.constant({ category: 'pii', pii_kind: 'email', length: 3 })),
});

const COUNTS = {
  facts: [{ id: 'secret_read', key: 'agent', expiresAtMs: 5 }],
  limits: [{ key: 'f'.repeat(64), windowSeconds: 60, amount: { units: 1, nanos: 0 }, reserve: true }],
};

const judgement: fc.Arbitrary<Judgement> = fc
  .record({
    nowMs: fc.integer({ min: 0, max: 4e12 }),
    entropy: hex(10),
    actionSalt: salt,
    payloadSalt: salt,
    outcome: fc.constantFrom('allowed', 'denied', 'frozen', 'sandbox_expired', 'action_cap'),
    violation: fc.option(violation),
    costMicros: fc.maxSafeNat(),
    seconds: fc.integer({ min: 0, max: 4e9 }),
    trace: fc.option(fc.constant('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')),
    signature: fc.option(fc.constant('{"base":"a b","publicKey":"x","signature":"é"}')),
    contextSalt: salt,
    order: fc.integer({ min: 1 }),
    counts: fc.boolean(),
  })
  .filter(({ outcome, violation: found }) => outcome !== 'denied' || found !== null)
  .map(({ seconds, trace, signature, contextSalt, order, counts, ...given }) => ({
    ...given,
    carried: circumstancesText({ salt: contextSalt, seconds, offsets: '{"Europe/Berlin":60}', trace, signature }),
    seen: {
      order,
      spent: { day: 1, month: 2 },
      rate: counts ? 3 : null,
      plan: { used: 4 },
      facts: counts ? ['secret_read', 'approved'] : [],
      limits: counts ? { 'mail-hour': '2', spend: '12.5' } : {},
    },
    ...(counts && given.outcome === 'allowed' ? { ruleCounts: COUNTS } : {}),
    versions: { account: 1, apiKey: 1, agent: 1 },
    costMicros: given.outcome === 'allowed' ? given.costMicros : 0,
    countsAction: given.outcome === 'allowed' || given.outcome === 'denied',
    countsRate: given.outcome === 'allowed',
    freezesAgent: given.outcome === 'denied',
  }));

describe('checkEvent', () => {
  it('is a leaf and an envelope that every reader accepts, and gives the answer that the envelope determines', () => {
    fc.assert(
      fc.property(judgement, facts, (judged, given) => {
        const { text, eventId, answer } = checkEvent(judged, given);
        const parsed: unknown = JSON.parse(text);
        const read = readEnvelope(parsed);
        if (!read.ok) throw new Error(read.problem);
        const envelope = read.value;
        expect(envelope.leaf.eventId).toBe(eventId);
        expect(checkAnswer(envelope)).toEqual(answer);
        expect(envelope.costMicros).toBe(judged.costMicros);
        expect(envelope.coverage).toBe(given.coverage.length > 0 ? 'governed' : 'none');
        expect(envelope.leaf.coverage).toEqual(given.coverage);
        expect(envelope.order).toBe(judged.seen!.order);
        expect(envelope.ruleCounts).toEqual(judged.ruleCounts);
        expect(envelope.idempotency).toEqual(given.idempotency);
        expect(envelope.leaf.occurredAt).toBe(new Date(judged.nowMs).toISOString());
        // Only members of the envelope.
        expect(Object.keys({ ...envelope, ruleCounts: true }).sort()).toEqual(Object.keys(MEMBERS).sort());
      }),
      { numRuns: 500 },
    );
  });

  it('commits to action and payload, and keeps a payload only where the profile says so', () => {
    fc.assert(
      fc.property(judgement, facts, (judged, given) => {
        const { leaf, openings } = JSON.parse(checkEvent(judged, given).text) as EventEnvelope;
        expect(opens(leaf, 'action', openings.action!, nodeCrypto.sha256)).toBe('opens');
        expect(opens(leaf, 'context', openings.context!, nodeCrypto.sha256)).toBe('opens');
        const context = readContext(openings.context!.value, true, leaf);
        if (!context.ok) throw new Error(context.problem);
        expect(openings.action?.value).toEqual(JSON.parse(given.action.canonical));
        if (given.payload === null) {
          expect(leaf.payload).toBeNull();
          expect(openings.payload).toBeUndefined();
          return;
        }
        const verdict = opens(leaf, 'payload', openings.payload!, nodeCrypto.sha256);
        expect(verdict).toBe(given.storePayload ? 'opens' : 'value-not-kept');
        const withValue = { salt: openings.payload!.salt, value: given.payload.value };
        expect(opens(leaf, 'payload', withValue, nodeCrypto.sha256)).toBe('opens');
      }),
      { numRuns: 500 },
    );
  });

  it('builds the event of a judgement without balances again as a release before contexts did', () => {
    fc.assert(
      fc.property(judgement, facts, (judged, given) => {
        const { carried: _carried, seen: _seen, ruleCounts: _counts, ...older } = judged;
        const { leaf, openings, order } = JSON.parse(checkEvent(older, given).text) as EventEnvelope;
        expect([leaf.v, Object.keys(leaf).length, order, openings.context]).toEqual([1, 18, undefined, undefined]);
        expect(opens(leaf, 'action', openings.action!, nodeCrypto.sha256)).toBe('opens');
      }),
      { numRuns: 100 },
    );
  });

  it('is a pure function: the same judgement gives the same bytes', () => {
    fc.assert(
      fc.property(judgement, facts, (judged, given) => {
        expect(checkEvent(structuredClone(judged), structuredClone(given))).toEqual(checkEvent(judged, given));
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    ['frozen', false, 403, 'agent_frozen', 'P1'],
    ['sandbox_expired', true, 402, 'sandbox_expired', 'P3'],
    ['action_cap', true, 402, 'sandbox_action_cap', 'P3'],
    ['action_cap', false, 429, 'plan_action_cap', 'P3'],
  ] as const)('answers %s (sandbox: %s) with %d and %s', (outcome, sandbox, status, code, severity) => {
    const [judged] = fc.sample(judgement, { numRuns: 1, seed: 1 });
    const [given] = fc.sample(facts, { numRuns: 1, seed: 1 });
    const { answer } = checkEvent({ ...judged!, outcome, violation: null }, { ...given!, sandbox });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ allowed: false, reason: expect.any(String), severity, code });
  });
});

const MEMBERS: Readonly<
  Record<keyof Omit<EventEnvelope, 'approvals' | 'executedRefusal' | 'givesBack' | 'givesBackHeld'>, true>
> = {
  v: true,
  leaf: true,
  openings: true,
  accountId: true,
  cadenceSeconds: true,
  costMicros: true,
  countsAction: true,
  countsRate: true,
  freezesAgent: true,
  apiKeyId: true,
  idempotency: true,
  answer: true,
  coverage: true,
  order: true,
  ruleCounts: true,
};

describe('eventIdOf', () => {
  it('is the UUID v7 that evidence makes of the same bytes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), hex(10), (ms, entropy) => {
        expect(eventIdOf(ms, entropy)).toBe(uuidV7(ms, fromHex(entropy)!));
      }),
    );
  });
});

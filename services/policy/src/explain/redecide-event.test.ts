import type { BehaviorProfile, EventWithProfile, JsonValue, LeafEvent } from '@countersign/contracts';
import { compileProfile, decide, emptyProfile, ENGINE_VERSION } from '@countersign/policy-engine';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { profileSha256 } from '../domain/profile.js';
import { record } from '../dry-run/dry-run.test-context.js';
import { AGENT } from '../policy.test-context.js';
import { redecideEvent } from './redecide-event.js';

const { sha256 } = nodeCrypto;
const THEN: BehaviorProfile = { ...emptyProfile(AGENT), version: 3, blocked_apis: ['evil.example'] };
const SEEN = {
  ...{ order: 1, frozen: false, plan: { used: 0, cap: null, expires: null }, spent: { day: 0, month: 0 } },
  ...{ rate: null, limits: {} },
};

/** A check as the gateway records it. */
function recorded(url: string, change: Partial<LeafEvent> = {}, engine: JsonValue = { ...ENGINE_VERSION }) {
  const action = { type: 'http_call', url };
  const event = record(THEN, [{ action }]).at(-1)!;
  const { envelope } = event;
  const { coverage, actionKind } = decide(compileProfile(THEN), action);
  const leaf: LeafEvent = {
    ...{ ...envelope.leaf, v: 2, coverage, actionKind, profileSha256: profileSha256(THEN, sha256) },
    ...change,
  };
  const seconds = Math.floor(Date.parse(leaf.occurredAt) / 1000);
  const effect = leaf.allowed === true ? 'allow' : 'deny';
  const context = { request_time: { seconds, offsets: {} }, effect, engine, seen: SEEN };
  const openings = { ...envelope.openings, context: { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value: context } };
  return { ...event, envelope: { ...envelope, leaf, openings } };
}
const judged = (event: EventWithProfile['event'], profile: BehaviorProfile | null = THEN) =>
  redecideEvent({ event, profile }, sha256);

it('a verdict that follows from the policy is the same, one that does not is different, with its members', () => {
  for (const url of ['https://a.example/', 'https://evil.example/'])
    expect(judged(recorded(url))).toEqual({ verdict: 'same', reason: null, differences: [] });
  const allowed: Partial<LeafEvent> = {
    ...{ allowed: true, outcome: 'allowed', reason: null, severity: null, violation_type: null, rule: null },
  };
  const different = judged(recorded('https://evil.example/', allowed));
  expect(different).toMatchObject({ verdict: 'different', reason: 'verdict' });
  expect(different.differences).toContainEqual({ member: 'outcome', recorded: 'allowed', recomputed: 'denied' });
  expect(judged(recorded('https://evil.example/', allowed, { ...ENGINE_VERSION, engine: 'later' }))).toEqual(
    expect.objectContaining({ verdict: 'not_checked', reason: 'engine' }),
  );
});

it('what cannot be computed again has its reason', () => {
  const event = recorded('https://evil.example/');
  expect(judged(event, null)).toMatchObject({ verdict: 'withheld', reason: 'profile' });
  expect(judged({ ...event, erased: true, envelope: { ...event.envelope, openings: {} } })).toMatchObject({
    verdict: 'erased',
  });
  expect(judged(recorded(`https://evil.example/${'x'.repeat(70_000)}`))).toMatchObject({
    ...{ verdict: 'not_checked', reason: 'size' },
  });
  const { context, ...openings } = event.envelope.openings;
  expect(context).toBeDefined();
  expect(judged({ ...event, envelope: { ...event.envelope, openings } })).toMatchObject({
    ...{ verdict: 'withheld', reason: 'context' },
  });
});

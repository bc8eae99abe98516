import type { ArchivedEvent, BehaviorProfile, EventArchive, EventExplanation, LeafEvent } from '@countersign/contracts';
import type { RouteInput } from '@countersign/http-edge';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { emptyProfile } from '@countersign/policy-engine';
import { profileSha256 } from '../domain/profile.js';
import { record } from '../dry-run/dry-run.test-context.js';
import type { GivenCheck } from '../dry-run/dry-run.test-context.js';
import { ExplainEventController } from '../http/explain-event-controller.js';
import { ACCOUNT, AGENT } from '../policy.test-context.js';
import { explainCheck } from './explain-check.js';
import { explainEvent } from './explain-event.js';

const { sha256 } = nodeCrypto;
const THEN: BehaviorProfile = {
  ...emptyProfile(AGENT),
  ...{ version: 3, blocked_apis: ['evil.example'], spending_limit: 5, spending_window: 'day' },
};
const OUTPUT: BehaviorProfile = {
  ...THEN,
  output_rules: { blocked_pii: ['email'], block_secrets: false, blocked_topics: [], max_length: null },
};

function recorded(profile: BehaviorProfile, checks: readonly GivenCheck[]): ArchivedEvent {
  const event = record(profile, checks).at(-1)!;
  return withLeaf(event, { profileSha256: profileSha256(profile, sha256) });
}

function withLeaf(event: ArchivedEvent, leaf: Partial<LeafEvent>): ArchivedEvent {
  return { ...event, envelope: { ...event.envelope, leaf: { ...event.envelope.leaf, ...leaf } } };
}

const call = (url: string, more: GivenCheck['action'] = {}): GivenCheck => ({
  action: { type: 'http_call', url, ...more },
});
const result = ({ rules }: EventExplanation, name: string): string | undefined =>
  rules.find((rule) => rule.name === name)?.result;

describe('explainEvent', () => {
  it('gives every rule under the profile of then, and the decision as recorded', async () => {
    const event = recorded(THEN, [call('https://evil.example/x')]);
    const explained = await explainEvent({ event, profile: THEN }, sha256);
    expect(explained).toMatchObject({
      ...{ eventId: event.envelope.leaf.eventId, agentId: AGENT, profileVersion: 3, mode: 'enforce' },
      recorded: { outcome: 'denied', allowed: false, rule: 'blocked_apis:evil.example' },
      notEvaluated: null,
    });
    expect([result(explained, 'blocked_apis'), result(explained, 'spending_limit')]).toEqual([
      'matched',
      'not_applicable',
    ]);
  });

  it('takes the denials of the counters from the record', async () => {
    const checks = [call('https://a.example/', { estimatedCost: 4 }), call('https://a.example/', { estimatedCost: 2 })];
    const explained = await explainEvent({ event: recorded(THEN, checks), profile: THEN }, sha256);
    expect(explained.rules).toContainEqual(
      expect.objectContaining({
        ...{ name: 'spending_limit', result: 'matched' },
        violation: expect.objectContaining({ reason: explained.recorded.reason }),
      }),
    );
  });

  it('leaves out the rules that read a payload which was not kept', async () => {
    const check = call('https://evil.example/', { payload: 'to a@b.example' });
    const without = await explainEvent({ event: recorded(OUTPUT, [check]), profile: OUTPUT }, sha256);
    expect(without.notEvaluated).toMatchObject({ reason: 'payload_not_kept' });
    expect(without.notEvaluated!.rules).toContain('output_rules.blocked_pii');
    expect(result(without, 'output_rules.blocked_pii')).toBeUndefined();
    expect(result(without, 'blocked_apis')).toBe('matched');
    const keeping = { ...OUTPUT, store_payload: true };
    const kept = await explainEvent({ event: recorded(keeping, [check]), profile: keeping }, sha256);
    expect([kept.notEvaluated, result(kept, 'output_rules.blocked_pii')]).toEqual([null, 'matched']);
  });

  it('uses no profile but the one whose hash the leaf has', async () => {
    const event = recorded(THEN, [call('https://evil.example/x')]);
    for (const profile of [{ ...THEN, blocked_apis: [] }, null]) {
      const explained = await explainEvent({ event, profile }, sha256);
      expect([explained.rules, explained.notEvaluated]).toEqual([[], { reason: 'profile_unknown', rules: [] }]);
    }
    const first = recorded(emptyProfile(AGENT), [call('https://a.example/')]);
    expect((await explainEvent({ event: first, profile: null }, sha256)).notEvaluated).toBeNull();
  });

  it('evaluates rules with the facts, the time and the offsets that the check committed to', async () => {
    const profile: BehaviorProfile = {
      ...THEN,
      store_payload: true,
      facts: [{ id: 'secret', set_when: 'false' }],
      rules: [{ id: 'no-send', types: ['send'], when: 'facts.secret', effect: 'deny' }],
    };
    const event = recorded(profile, [{ action: { type: 'send', payload: {} } }]);
    const explainedWith = async (facts: readonly string[]): Promise<EventExplanation> => {
      const { envelope } = event;
      const value = { request_time: { seconds: 1, offsets: {} }, facts: [...facts] };
      const context = { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value };
      const openings = { ...envelope.openings, context };
      return explainEvent({ event: { ...event, envelope: { ...envelope, openings } }, profile }, sha256);
    };
    const rule = ({ rules }: EventExplanation, name: string) => rules.find((one) => one.name === name);
    expect(rule(await explainedWith(['secret']), 'rules:no-send')).toMatchObject({
      ...{ result: 'matched', facts: [{ id: 'secret', set: true }] },
      clauses: [{ text: 'facts.secret', result: true }],
    });
    expect(rule(await explainedWith([]), 'rules:no-send')).toMatchObject({
      ...{ result: 'passed', facts: [{ id: 'secret', set: false }] },
      clauses: [{ text: 'facts.secret', result: false }],
    });
  });

  it('evaluates limits with the balances that the check committed to', async () => {
    const limit = { id: 'spend', types: ['pay'], sum: 'args.amount', max_sum: '100', window_seconds: 60 } as const;
    const profile: BehaviorProfile = { ...THEN, store_payload: true, limits: [limit] };
    const event = recorded(profile, [{ action: { type: 'pay', payload: { amount: 40 } } }]);
    const { envelope } = event;
    const explainedWith = async (spend: string): Promise<EventExplanation['rules'][number] | undefined> => {
      const value = { request_time: { seconds: 1, offsets: {} }, seen: { limits: { spend } } };
      const openings = { ...envelope.openings, context: { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value } };
      const explained = await explainEvent(
        { event: { ...event, envelope: { ...envelope, openings } }, profile },
        sha256,
      );
      return explained.rules.find(({ name }) => name === 'limits:spend');
    };
    const about = { mode: 'enforce', reads: ['args.amount'] };
    const text = 'counted + args.amount <= 100';
    expect(await explainedWith('60')).toEqual({
      ...{ name: 'limits:spend', result: 'passed', ...about, clauses: [{ text, result: true }] },
    });
    expect(await explainedWith('60.01')).toMatchObject({
      ...{ name: 'limits:spend', result: 'matched', ...about, clauses: [{ text, result: false }] },
      violation: { violation_type: 'limit_exceeded', rule: 'limits:spend' },
    });
  });

  it('leaves open a fact that the verdict did not depend on', async () => {
    const profile: BehaviorProfile = {
      ...THEN,
      store_payload: true,
      facts: [{ id: 'secret', set_when: 'false' }],
      rules: [{ id: 'no-call', types: ['send'], when: 'facts.secret && action.type == "call"', effect: 'deny' }],
    };
    const event = recorded(profile, [{ action: { type: 'send', payload: {} } }]);
    const explained = await explainEvent({ event, profile }, sha256);
    expect(explained.rules.find(({ name }) => name === 'rules:no-call')).toMatchObject({
      facts: [{ id: 'secret', set: null }],
      clauses: [{ result: 'unknown' }, { result: false }],
    });
  });

  it('says where nothing was evaluated', async () => {
    const event = recorded(THEN, [call('https://a.example/')]);
    const frozen = withLeaf(event, { outcome: 'frozen', allowed: false });
    const erased = { ...event, erased: true, envelope: { ...event.envelope, openings: {} } };
    const reason = async (one: ArchivedEvent): Promise<unknown> =>
      (await explainEvent({ event: one, profile: THEN }, sha256)).notEvaluated;
    expect(await reason(frozen)).toEqual({ reason: 'not_judged', rules: [] });
    expect(await reason(erased)).toEqual({ reason: 'erased', rules: [] });
  });
});

describe('explainCheck', () => {
  it('is refused where the balance of a limit was not read, as its answer would be a guess', async () => {
    const limit = { id: 'spend', types: ['pay'], max_count: 1, window_seconds: 1 } as const;
    const agent = { id: AGENT, facts: { status: 'active', profile: { ...THEN, limits: [limit] } } } as never;
    const usage = { nowMs: 0, frozen: false, dayMicros: 0, monthMicros: 0, rateCount: 0, rateBlockedBy: null };
    const read = () => Promise.resolve({ facts: [], unknownUntilMs: null, limits: [null] });
    const refusal = { status: 400, message: expect.stringContaining('limits not read: spend.') as string };
    await expect(explainCheck(agent, usage, { type: 'pay' }, read)).rejects.toMatchObject(refusal);
  });
});

describe('GET /v1/events/{eventId}/explanation', () => {
  const event = recorded(THEN, [call('https://a.example/')]);
  const eventId = event.envelope.leaf.eventId;
  const input = { params: { eventId: eventId.toUpperCase() }, caller: { accountId: ACCOUNT } } as unknown as RouteInput;
  const ask = (archive: Pick<EventArchive, 'withProfile'> | null): Promise<EventExplanation> =>
    new ExplainEventController(() => archive).explain(input);

  it('explains a check of the account, and nothing else', async () => {
    const asked: unknown[] = [];
    const withProfile = async (...given: readonly string[]) => {
      asked.push(given);
      return { event, profile: THEN };
    };
    expect(await ask({ withProfile })).toMatchObject({ eventId });
    expect(asked).toEqual([[ACCOUNT, eventId]]);
    await expect(ask({ withProfile: async () => null })).rejects.toMatchObject({ status: 404 });
    const change = { event: withLeaf(event, { type: 'agent.frozen' }), profile: null };
    await expect(ask({ withProfile: async () => change })).rejects.toMatchObject({ status: 404 });
    await expect(ask(null)).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  });
});

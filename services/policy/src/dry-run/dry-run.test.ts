import { applyProfilePatch, emptyProfile } from '@countersign/policy-engine';
import type { ProfilePatch } from '@countersign/policy-engine';
import type { ArchivedEvent, BehaviorProfile, DryRunAnswer } from '@countersign/contracts';
import { dryRun as answerSchema } from '@countersign/contracts';
import { compileSchema } from '@countersign/http-edge';
import { AGENT } from '../policy.test-context.js';
import { dryRun } from './dry-run.js';
import type { DryRunBounds } from './dry-run.js';
import { archiveOf, record, START } from './dry-run.test-context.js';

const EMPTY = emptyProfile(AGENT);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CARD = '4111 1111 1111 1111';
const profileOf = (patch: ProfilePatch): BehaviorProfile => applyProfilePatch(EMPTY, patch);
const iso = (after: number): string => new Date(START + after).toISOString();

const problemOf = compileSchema(answerSchema);

async function run(
  events: readonly ArchivedEvent[],
  profile: BehaviorProfile,
  patch: ProfilePatch,
  { from = -DAY, to = DAY, bounds }: { from?: number; to?: number; bounds?: DryRunBounds } = {},
): Promise<DryRunAnswer> {
  const draft = applyProfilePatch(profile, patch);
  const wanted = { agentId: AGENT, profile, draft, from: iso(from), to: iso(to) };
  const answer = await dryRun(archiveOf(events), wanted, bounds);
  expect(problemOf(answer)).toBeNull();
  return answer;
}

const buy = (estimatedCost: number, after = 0) => ({
  action: { type: 'tool_use', tool_name: 'buy', estimatedCost },
  after,
});
const say = (payload: string) => ({ action: { type: 'llm_response', payload } });

describe('a dry run', () => {
  it('says what would flip, by the rule that denies now or denied then, with examples', async () => {
    const profile = profileOf({ off_limits_actions: ['wire'] });
    const events = record(profile, [
      { action: { type: 'wire', metadata: { note: 'secret' } } },
      { action: { type: 'http_call', url: 'https://evil.example/x', toolName: 'get' } },
      { action: { type: 'http_call', url: 'https://evil.example/y' } },
      { action: { type: 'http_call', url: 'https://good.example/' } },
    ]);
    const answer = await run(events, profile, { off_limits_actions: [], blocked_apis: ['evil.example'] });
    expect(answer).toMatchObject({
      agentId: AGENT,
      profileVersion: 2,
      checks: 4,
      evaluated: 4,
      unchanged: 1,
      notEvaluated: { count: 0 },
      flips: { toDenied: 2, toAllowed: 1 },
      truncatedAt: null,
    });
    expect(answer.byRule.map(({ rule, toDenied, toAllowed }) => [rule, toDenied, toAllowed])).toEqual([
      ['blocked_apis:evil.example', 2, 0],
      ['off_limits_actions:wire', 0, 1],
    ]);
    expect(answer.byRule[0]?.examples[0]).toEqual({
      eventId: events[1]?.envelope.leaf.eventId,
      occurredAt: iso(0),
      action: {
        type: 'http_call',
        url: 'https://evil.example/x',
        tool_name: 'get',
        dataScope: null,
        estimatedCost: null,
      },
      before: { allowed: true, violation_type: null, rule: null },
      after: { allowed: false, violation_type: 'api_not_allowed', rule: 'blocked_apis:evil.example' },
    });
    expect(JSON.stringify(answer)).not.toContain('secret');
  });

  it('spends in the order of the log, and what the draft denies costs nothing', async () => {
    const events = record(EMPTY, [buy(60), buy(50, 1), buy(40, 2), buy(0.000001, 3), buy(100, 13 * HOUR)]);
    const answer = await run(events, EMPTY, { spending_limit: 100, spending_window: 'day' });
    expect(answer.byRule[0]?.examples.map(({ occurredAt }) => occurredAt)).toEqual([iso(1), iso(3)]);
    const byMonth = await run(events, EMPTY, { spending_limit: 150, spending_window: 'month' });
    expect(byMonth.byRule[0]?.examples.map(({ occurredAt }) => occurredAt)).toEqual([iso(3), iso(13 * HOUR)]);
  });

  it('starts with what was counted before, as far as its limits reach back', async () => {
    const profile = profileOf({ rate_limit: { max: 100, per_seconds: 60 } });
    const events = record(profile, [buy(30, -DAY), buy(30, -HOUR), buy(30, -1), buy(30, 0)]);
    const day = await run(events, profile, { spending_limit: 80, spending_window: 'day' }, { from: 0 });
    expect(day).toMatchObject({ checks: 1, flips: { toDenied: 1 }, countedBefore: { checks: 2, complete: true } });
    expect(day.countedBefore.since).toBe('2026-03-10T00:00:00.000Z');
    const rate = await run(events, profile, { rate_limit: { max: 1, per_seconds: 3600 } }, { from: 0 });
    expect(rate).toMatchObject({ flips: { toDenied: 1 }, countedBefore: { checks: 1, since: iso(1 - HOUR) } });
    const action = await run(events, profile, { rate_limit: null, spending_limit: 30, spending_window: 'action' });
    expect(action).toMatchObject({ flips: { toDenied: 0 }, countedBefore: { since: null, checks: 0, complete: true } });
    const bounds = { events: 1, payload: 0 };
    const month = { spending_limit: 60, spending_window: 'month' } as const;
    expect(await run(events, profile, month, { from: 0, bounds })).toMatchObject({
      countedBefore: { checks: 1, complete: false },
      flips: { toDenied: 0 },
    });
  });

  it('judges no payload that was not kept, unless the record has its verdict', async () => {
    const pii = { blocked_pii: ['credit_card'], block_secrets: false, blocked_topics: [], max_length: null } as const;
    const events = record(EMPTY, [say(CARD), say('fine'), { action: { type: 'tool_use' } }]);
    expect(await run(events, EMPTY, { output_rules: pii })).toMatchObject({
      evaluated: 1,
      notEvaluated: { count: 2, payloadNotKept: 2 },
      flips: { toDenied: 0, toAllowed: 0 },
    });
    const kept = profileOf({ store_payload: true });
    expect(await run(record(kept, [say(CARD), say('fine')]), kept, { output_rules: pii })).toMatchObject({
      evaluated: 2,
      flips: { toDenied: 1 },
      byRule: [{ rule: 'output_rules.blocked_pii:credit_card', violation_type: 'unsafe_output' }],
    });
    const ruled = profileOf({ output_rules: pii });
    const recorded = record(ruled, [say(CARD), say('fine')]);
    expect(await run(recorded, ruled, { off_limits_actions: ['wire'] })).toMatchObject({ evaluated: 2, unchanged: 2 });
    expect(await run(recorded, ruled, { mode: 'observe' })).toMatchObject({ flips: { toDenied: 0, toAllowed: 1 } });
    expect(await run(recorded, ruled, { output_rules: { ...pii, max_length: 9 } })).toMatchObject({ evaluated: 0 });
    expect(
      await run(recorded, ruled, { allowed_actions: ['wire'], output_rules: { ...pii, max_length: 9 } }),
    ).toMatchObject({
      evaluated: 2,
      flips: { toDenied: 1 },
    });
    const further = { action: { type: 'llm_response', payload: 'fine', content: 'fine' } };
    expect(await run(record(ruled, [further]), ruled, { off_limits_actions: ['wire'] })).toMatchObject({
      unchanged: 1,
    });
    const later = { ...ruled, version: 9, output_rules: null };
    expect((await run(recorded, later, { output_rules: pii })).notEvaluated.payloadNotKept).toBe(2);
  });

  it('judges no arguments that were not kept, where a list of addresses would read them', async () => {
    const call = (payload: Record<string, string>, url?: string) => ({
      action: { type: 'tool_use', tool_name: 'get', payload, ...(url === undefined ? {} : { url }) },
    });
    const evil = 'https://evil.example/x';
    const given = [call({ uri: evil }), call({ url: evil }, evil), { action: { type: 'tool_use', tool_name: 'get' } }];
    const blocked = { blocked_apis: ['evil.example'] };
    const lists = { allowed_apis: ['get*'] };
    expect(await run(record(EMPTY, given), EMPTY, blocked)).toMatchObject({
      evaluated: 2,
      notEvaluated: { count: 1, payloadNotKept: 1 },
      flips: { toDenied: 1 },
    });
    expect(await run(record(EMPTY, given), EMPTY, lists)).toMatchObject({
      evaluated: 2,
      notEvaluated: { count: 1, payloadNotKept: 1 },
      flips: { toDenied: 0 },
    });
    const kept = profileOf({ store_payload: true });
    expect(await run(record(kept, given), kept, blocked)).toMatchObject({ evaluated: 3, flips: { toDenied: 2 } });
    expect(await run(record(kept, given), kept, lists)).toMatchObject({ evaluated: 3, flips: { toDenied: 0 } });
  });

  it('takes the output rules of a version from the event that put them in force', async () => {
    const pii = { blocked_pii: ['credit_card'], block_secrets: false, blocked_topics: [], max_length: null } as const;
    const ruled = profileOf({ output_rules: pii });
    const [check] = record(ruled, [say('fine')]);
    const change = structuredClone(check!) as { -readonly [K in keyof ArchivedEvent]: ArchivedEvent[K] };
    change.envelope = {
      ...change.envelope,
      leaf: { ...change.envelope.leaf, type: 'profile.changed' },
      openings: { action: { salt: '', value: { profile: structuredClone(ruled) as never, by: {} } } },
    };
    const now = { ...ruled, version: 9, output_rules: null };
    const answer = await run([change, { ...check!, sequence: 2 }], now, { output_rules: pii });
    expect(answer).toMatchObject({ checks: 1, evaluated: 1, unchanged: 1 });
  });

  it('counts what it cannot judge as it was recorded', async () => {
    const [first, second, third, fourth] = record(EMPTY, [buy(60), buy(50, 1), buy(1, 2), buy(1, 3)]);
    const erased = { ...first!, erased: true, envelope: { ...first!.envelope, openings: {} } };
    const refused = (event: ArchivedEvent, outcome: 'frozen' | 'action_cap'): ArchivedEvent => ({
      ...event,
      envelope: { ...event.envelope, costMicros: 0, leaf: { ...event.envelope.leaf, outcome, allowed: false } },
    });
    const events = [erased, second!, refused(third!, 'frozen'), refused(fourth!, 'action_cap')];
    const answer = await run(events, EMPTY, { spending_limit: 100, freeze_on_violation: true });
    expect(answer).toMatchObject({
      checks: 4,
      evaluated: 1,
      notEvaluated: { count: 3, erased: 1, frozen: 1, plan: 1, payloadNotKept: 0 },
      flips: { toDenied: 1, toAllowed: 0 },
      freezes: 1,
    });
  });

  it('stops at its bounds and says where', async () => {
    const kept = profileOf({ store_payload: true });
    const events = record(
      kept,
      Array.from({ length: 30 }, (_, n) => ({ action: { type: 'llm_response', payload: 'x'.repeat(98) }, after: n })),
    );
    expect(await run(events, kept, {}, { bounds: { events: 20, payload: 1e9 } })).toMatchObject({
      checks: 20,
      truncatedAt: iso(20),
    });
    expect(await run(events, kept, {}, { bounds: { events: 100, payload: 1000 } })).toMatchObject({
      checks: 10,
      truncatedAt: iso(10),
    });
    expect(await run(events, kept, {}, { from: 5, to: 8 })).toMatchObject({ checks: 3, truncatedAt: null });
  });

  it('keeps five examples of a rule, and shows no action that is long', async () => {
    const events = record(EMPTY, [
      { action: { type: 'http_call', url: `https://evil.example/${'x'.repeat(5000)}` } },
      ...Array.from({ length: 9 }, () => ({ action: { type: 'wire' } })),
    ]);
    const answer = await run(events, EMPTY, { off_limits_actions: ['wire'], blocked_apis: ['evil.example'] });
    expect(answer.byRule.map(({ toDenied, examples }) => [toDenied, examples.length])).toEqual([
      [9, 5],
      [1, 1],
    ]);
    expect(answer.byRule[1]?.examples[0]?.action).toBeNull();
  });

  it('lets others have their turn while it reads a long payload', async () => {
    const kept = profileOf({ store_payload: true });
    const events = record(kept, [say('Call 555 0100 or write to a@b.example. '.repeat(200_000))]);
    let turns = 0;
    let others = setImmediate(function another() {
      turns += 1;
      others = setImmediate(another);
    });
    const pii = { blocked_pii: ['iban'], block_secrets: true, blocked_topics: ['insider'], max_length: null } as const;
    const answer = await run(events, kept, { output_rules: pii });
    clearImmediate(others);
    expect(answer).toMatchObject({ evaluated: 1, unchanged: 1 });
    expect(turns).toBeGreaterThan(0);
  });

  it('has again what was given back, unless the draft would have denied it', async () => {
    const draft = { spending_limit: 100, spending_window: 'day' } as const;
    const [first, second] = record(EMPTY, [buy(80), buy(80, 2)]);
    const outcome = {
      ...second!,
      sequence: 2,
      envelope: {
        ...second!.envelope,
        costMicros: 0,
        leaf: { ...second!.envelope.leaf, type: 'action.outcome' as const, refersTo: first!.envelope.leaf.eventId },
        givesBack: { costMicros: 80_000_000, occurredAt: first!.envelope.leaf.occurredAt },
      },
    };
    const events = [first!, outcome, { ...second!, sequence: 3 }];
    expect(await run(events, EMPTY, draft)).toMatchObject({ evaluated: 2, unchanged: 2 });
    expect(await run([first!, second!], EMPTY, draft)).toMatchObject({ evaluated: 2, flips: { toDenied: 1 } });
    expect(await run(events, EMPTY, { ...draft, spending_limit: 79 })).toMatchObject({ flips: { toDenied: 2 } });
    expect(await run(events, EMPTY, draft, { from: 1 })).toMatchObject({ evaluated: 1, unchanged: 1 });
  });

  it('refuses an archive with a hole', async () => {
    const [first, , third] = record(EMPTY, [buy(1), buy(1, 1), buy(1, 2)]);
    await expect(run([first!, third!], EMPTY, {})).rejects.toThrow('the archive lacks sequence 2');
  });
});

import type { ArchivedEvent, DryRunAnswer, HeldAmount } from '@countersign/contracts';
import { applyProfilePatch, emptyProfile } from '@countersign/policy-engine';
import type { ProfilePatch } from '@countersign/policy-engine';
import { AGENT, check } from '../policy.test-context.js';
import { dryRun } from './dry-run.js';
import { archiveOf, record, START } from './dry-run.test-context.js';
import type { GivenCheck } from './dry-run.test-context.js';

const HOUR = 3_600_000;
const iso = (after: number): string => new Date(START + after).toISOString();
const profileOf = (patch: ProfilePatch) => applyProfilePatch(emptyProfile(AGENT), { store_payload: true, ...patch });
const KEPT = profileOf({});

const read = (path: string, session: string, after: number): GivenCheck => ({
  action: { type: 'tool_use', tool_name: 'read_file', payload: { path }, metadata: { session } },
  after,
});
const send = (host: string, session: string, after: number): GivenCheck => ({
  action: { type: 'http_call', url: `https://${host}/`, metadata: { session } },
  after,
});
const refund = (customer: string, amount: number, after: number): GivenCheck => ({
  action: { type: 'tool_use', tool_name: 'refund', payload: { customer, amount } },
  after,
});

const NO_SEND: ProfilePatch = {
  facts: [{ id: 'secret_read', tools: ['read_file'], set_when: "has(args.path) && under(args.path, ['/secrets'])" }],
  rules: [
    {
      id: 'no-send',
      types: ['http_call'],
      when: "facts.secret_read && !(has(action.url) && host_in(action.url, ['acme.com']))",
      effect: 'deny',
    },
  ],
};
const SUM: ProfilePatch = {
  limits: [{ id: 'sum', tools: ['refund'], sum: 'args.amount', max_sum: '100', window_seconds: 86_400, reserve: true }],
};

/** Positions of the events that the draft would deny, of those that were allowed. */
async function denied(
  events: readonly ArchivedEvent[],
  patch: ProfilePatch,
  { from = -HOUR, profile = KEPT }: { readonly from?: number; readonly profile?: typeof KEPT } = {},
): Promise<{ readonly at: readonly number[]; readonly answer: DryRunAnswer }> {
  const draft = applyProfilePatch(profile, patch);
  const answer = await dryRun(archiveOf(events), {
    agentId: AGENT,
    profile,
    draft,
    from: iso(from),
    to: iso(48 * HOUR),
  });
  const ids = answer.byRule.flatMap(({ examples }) => examples.map(({ eventId }) => eventId));
  const at = events.flatMap(({ envelope }, n) => (ids.includes(envelope.leaf.eventId) ? [n] : []));
  expect(at).toHaveLength(answer.flips.toDenied);
  return { at, answer };
}

/** An outcome that the agent reports for a check. */
function skipped(
  of: ArchivedEvent,
  sequence: number,
  after: number,
  givesBackHeld?: readonly HeldAmount[],
): ArchivedEvent {
  const eventId = `0198a1b2-0000-7000-9000-${String(sequence).padStart(12, '0')}`;
  const { leaf, ...envelope } = check({ eventId, occurredAtMs: START + after });
  const reported = {
    type: 'action.outcome',
    outcome: 'skipped',
    refersTo: of.envelope.leaf.eventId,
    allowed: null,
  } as const;
  return {
    sequence,
    erased: false,
    envelope: { ...envelope, ...(givesBackHeld && { givesBackHeld }), leaf: { ...leaf, ...reported } },
  };
}

describe('a dry run of rules that read what was before', () => {
  it('judges a sequence before its rule is switched on: no send after a secret, by session', async () => {
    const events = record(KEPT, [
      send('evil.example', 'a', 0),
      read('/secrets/token', 'a', 1),
      send('evil.example', 'a', 2),
      send('acme.com', 'a', 3),
      send('evil.example', 'b', 4),
      send('evil.example', 'a', 25 * HOUR),
    ]);
    const { at, answer } = await denied(events, NO_SEND);
    expect([at, answer.byRule.map(({ rule }) => rule)]).toEqual([[2], ['rules:no-send']]);
    expect(answer).toMatchObject({ evaluated: 6, unchanged: 5, notEvaluated: { count: 0 } });
  });

  it('counts limits by their keys and in their windows', async () => {
    const events = record(KEPT, [
      refund('c', 1, 0),
      refund('c', 1, 1),
      refund('d', 1, 2),
      refund('c', 1, 3),
      refund('c', 1, HOUR),
    ]);
    const limits = [{ id: 'two', tools: ['refund'], key: 'args.customer', max_count: 2, window_seconds: 3600 }];
    const { at, answer } = await denied(events, { limits });
    expect([at, answer.byRule[0]?.rule]).toEqual([[3], 'limits:two']);
  });

  it('starts with what was set and counted before, by facts and limits of the profile in force then', async () => {
    const facts = profileOf({ facts: NO_SEND.facts! });
    const events = record(facts, [read('/secrets/token', 'a', 0), send('evil.example', 'a', HOUR)]);
    const known = await denied(events, NO_SEND, { from: 1, profile: facts });
    expect([known.at, known.answer.countedBefore]).toEqual([
      [1],
      { since: iso(1 - 24 * HOUR + 1), checks: 1, complete: true },
    ]);
    // A fact that was not in force was not set: as for a gateway, it starts with nothing.
    const blind = await denied(
      record(KEPT, [read('/secrets/token', 'a', 0), send('evil.example', 'a', HOUR)]),
      NO_SEND,
      {
        from: 1,
      },
    );
    expect(blind.at).toEqual([]);
    const limited = profileOf({ limits: [{ ...SUM.limits![0]!, max_sum: '1000' }] });
    const paid = record(limited, [refund('c', 90, 0), refund('c', 20, HOUR)]);
    expect((await denied(paid, SUM, { from: 1, profile: limited })).at).toEqual([1]);
  });

  it('gives back what a skipped action held, within a day, and nothing of a denied one', async () => {
    const [first, second, third] = record(KEPT, [refund('c', 90, 0), refund('c', 90, 2), refund('c', 90, 4)]);
    const story = (after: number) => [
      first!,
      skipped(first!, 2, after),
      { ...second!, sequence: 3 },
      { ...third!, sequence: 4 },
    ];
    expect((await denied(story(1), SUM)).at).toEqual([3]);
    expect((await denied([first!, second!, skipped(second!, 3, 3), { ...third!, sequence: 4 }], SUM)).at).toEqual([
      1, 3,
    ]);
    const late = record(KEPT, [refund('c', 90, 0), refund('c', 90, 24 * HOUR + 2)]);
    const week = { limits: [{ ...SUM.limits![0]!, window_seconds: 7 * 86_400 }] };
    const reported = [late[0]!, skipped(late[0]!, 2, 24 * HOUR), { ...late[1]!, sequence: 3 }];
    expect((await denied(reported, week)).at).toEqual([2]);
  });

  it('gives back what was held before the range as it was recorded', async () => {
    const limited = profileOf({ limits: [{ ...SUM.limits![0]!, max_sum: '1000' }] });
    const [before, inside] = record(limited, [refund('c', 90, 0), refund('c', 90, HOUR)]);
    const { key, amount } = before!.envelope.ruleCounts!.limits[0]!;
    const held = [{ key, amount, order: before!.envelope.order!, atMs: START }];
    const events = [before!, skipped(before!, 2, 2, held), { ...inside!, sequence: 3 }];
    expect((await denied(events, SUM, { from: 1, profile: limited })).at).toEqual([]);
    expect((await denied(events, SUM, { from: 3, profile: limited })).at).toEqual([]);
    expect((await denied([before!, { ...inside!, sequence: 2 }], SUM, { from: 1, profile: limited })).at).toEqual([1]);
  });

  it('counts a check that cannot be judged as it was recorded', async () => {
    const limited = profileOf({ store_payload: false, limits: [{ ...SUM.limits![0]!, max_sum: '1000' }] });
    const [hidden] = record(limited, [refund('c', 90, 0)]);
    const [shown] = record(profileOf({}), [refund('c', 20, HOUR)]);
    const events = [
      hidden!,
      { ...shown!, sequence: 2, envelope: { ...shown!.envelope, leaf: { ...shown!.envelope.leaf, eventId: 'x' } } },
    ];
    const { at, answer } = await denied(events, SUM, { profile: limited });
    expect([at, answer.notEvaluated.payloadNotKept]).toEqual([[1], 1]);
  });
});

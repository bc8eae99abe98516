import fc from 'fast-check';
import type { BehaviorProfile, CheckAction, EventEnvelope, PackageEvent } from '@countersign/contracts';
import { InProcessCounters } from '@countersign/counters';
import type { CheckTrip, Judgement } from '@countersign/counters';
import { canonicalBytes, canonicalize, plainLeaf, toHex, uuidV7 } from '@countersign/evidence';
import { compileProfile, countedRules, decide, emptyProfile } from '@countersign/policy-engine';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { redecide, redecisionCode } from '@countersign/redecide';
import { askingRules, withApprovals } from './asking-rules.js';
import { circumstancesText } from './check-context.js';
import { checkEvent } from './check-event.js';
import { committed } from './committed.js';

const HISTORIES = Number(process.env['REDECISION_HISTORIES'] ?? 100);
const AGENT = '0198a1b2-0000-7000-8000-00000000000a';
const START = Date.parse('2026-03-30T22:00:00.000Z');
const SALT = 'AAAAAAAAAAAAAAAAAAAAAA';
const NO_VERSIONS = { account: 1, apiKey: 1, agent: 1 };

const RULES: Partial<BehaviorProfile> = {
  store_payload: true,
  facts: [{ id: 'secret', set_when: 'has(args.secret) && args.secret == true', ttl_seconds: 3600 }],
  rules: [
    { id: 'no-send', when: 'facts.secret && action.type == "send"', effect: 'deny' },
    { id: 'large', args: { amount: { max: 8 } }, effect: 'deny_unless', mode: 'observe' },
  ],
  limits: [
    { id: 'refunds', key: 'args.customer', max_count: 3, window_seconds: 3600 },
    { id: 'amounts', sum: 'args.amount', max_sum: '20', window_seconds: 7200, reserve: true },
  ],
};
const PROFILES: readonly Partial<BehaviorProfile>[] = [
  {},
  { spending_limit: 10, rate_limit: { max: 4, per_seconds: 3600 }, off_limits_actions: ['wire'], store_payload: true },
  { ...RULES, spending_limit: 40, spending_window: 'month', rate_limit: { max: 9, per_seconds: 7200 } },
  { ...RULES, mode: 'observe', rate_limit: { max: 2, per_seconds: 600 } },
  {
    ...RULES,
    rules: [
      { id: 'no-send', when: 'facts.secret && action.type == "send"', effect: 'deny' },
      { id: 'any', tools: ['search'], effect: 'approve', expires_seconds: 7200 },
      { id: 'sent', types: ['send'], effect: 'approve', severity: 'P1', reuse: { until_seconds: 900, scope: 'tool' } },
    ],
    spending_limit: 40,
  },
  {
    ...RULES,
    rules: [
      { id: 'secret', when: 'facts.secret', types: ['send'], effect: 'defer' },
      {
        id: 'cap',
        when: 'has(args.amount) && args.amount > 5.0',
        effect: 'modify',
        patch: [{ op: 'replace', path: '/payload/amount', value: 5 }],
      },
      { id: 'any', tools: ['search'], effect: 'approve', expires_seconds: 7200 },
    ],
  },
];

const step = fc.record({
  passesMs: fc.oneof(fc.constant(0), fc.nat(1000), fc.nat(7_200_000)),
  fate: fc.constantFrom('kept', 'kept', 'kept', 'kept', 'lost', 'unanswered', 'skipped'),
  profile: fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(PROFILES.length - 1) }),
  session: fc.constantFrom(null, 'a', 'b'),
  tool: fc.constantFrom('search', 'wire'),
  type: fc.constantFrom('tool_use', 'send'),
  cost: fc.nat(40).map((quarters) => quarters / 4),
  customer: fc.nat(1),
  amount: fc.nat(10),
  secret: fc.boolean(),
  payload: fc.boolean(),
  decides: fc.constantFrom('approved', 'approved', 'denied', null),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A history on the counters of one process, and the events that a gateway logs of it. */
class History {
  readonly events: PackageEvent[] = [];
  #nowMs = START;
  readonly #counters = new InProcessCounters({ clock: { now: () => this.#nowMs, notBefore: () => undefined } });
  #profile: BehaviorProfile = emptyProfile(AGENT);
  #version = 1;
  #serial = 0;
  readonly #returned = new Map<string, number>();

  async run(steps: readonly Step[]): Promise<void> {
    await this.#counters.serve();
    for (const one of steps) await this.#next(one);
  }

  async #next(one: Step): Promise<void> {
    this.#nowMs += one.passesMs;
    if (one.profile !== null) this.#change(PROFILES[one.profile]!);
    const action = {
      ...{ type: one.type, tool_name: one.tool },
      ...(one.cost === 0 ? {} : { estimatedCost: one.cost }),
    };
    const payload = one.payload ? { customer: `c${one.customer}`, amount: one.amount, secret: one.secret } : undefined;
    const { envelope, judgement } = await this.#check(action, payload, one.session);
    if (one.decides !== null) await this.#decide(envelope, one.decides);
    if (one.fate === 'lost' || one.fate === 'unanswered')
      await this.#counters.takeBack('account', AGENT, judgement, null);
    if (one.fate === 'lost') return;
    const { leaf, openings } = envelope;
    this.#log(leaf, openings);
    if (one.fate === 'unanswered') this.#log(this.#plain('action.unanswered', leaf.eventId, null));
    if (one.fate !== 'skipped' || judgement.outcome !== 'allowed') return;
    this.#log(this.#plain('action.outcome', leaf.eventId, 'skipped'));
    await this.#giveBack(judgement);
  }

  async #decide({ approvals = [] }: EventEnvelope, state: 'approved' | 'denied'): Promise<void> {
    for (const one of approvals) {
      if (one.state !== 'requested') continue;
      const { id, bindingSha256, expiresAt, reuse } = one;
      const expiresAtMs = Date.parse(expiresAt);
      const usableUntilMs = reuse === undefined ? expiresAtMs : this.#nowMs + reuse.until_seconds * 1000;
      const reusable = reuse !== undefined;
      await this.#counters.decideApproval({
        agentId: AGENT,
        id,
        bindingSha256,
        state,
        expiresAtMs,
        usableUntilMs,
        reusable,
      });
    }
  }

  #change(members: Partial<BehaviorProfile>): void {
    this.#version += 1;
    this.#profile = { ...emptyProfile(AGENT), ...members, version: this.#version };
    const value = { profile: this.#profile, by: { kind: 'user', id: 'u' } };
    const leaf = { ...this.#plain('profile.changed', null, null), profileVersion: this.#version };
    this.#log({ ...leaf, profileSha256: this.#sha256() }, { action: { salt: SALT, value: value as never } });
  }

  async #check(
    action: CheckAction,
    payload: object | undefined,
    session: string | null,
  ): Promise<{ readonly envelope: EventEnvelope; readonly judgement: Judgement }> {
    const profile = compileProfile(this.#profile);
    const time = Math.floor(this.#nowMs / 1000);
    const whole = (payload === undefined ? action : { ...action, payload }) as CheckAction;
    const decision = decide(profile, whole, { agentId: AGENT, principal: null, session, time });
    const offsets = decision.rules === null ? '{}' : canonicalize(decision.rules.offsets);
    const trip: CheckTrip = {
      ...{ accountId: 'account', agentId: AGENT, apiKeyId: 'key', versions: NO_VERSIONS },
      plan: { plan: 'sandbox', actionCap: 40, sandboxExpiresAtMs: START + 4 * 86_400_000 },
      ...{ profileVersion: this.#version, frozen: false, observe: profile.observe, freezeOnViolation: false },
      ...{ violation: decision.violation, costMicros: decision.costMicros },
      ...{ spending: profile.spending, rate: profile.rate, idempotency: null },
      ...{ entropy: (++this.#serial).toString(16).padStart(20, '0'), actionSalt: SALT, payloadSalt: SALT },
      rules: this.#rules(
        profile.rules === null ? undefined : countedRules(profile.rules, decision.rules!, session),
        whole,
      ),
      wantsSeen: true,
      carried: circumstancesText({ salt: SALT, seconds: time, offsets, trace: null, signature: null }),
    };
    const result = this.#counters.checkNow(trip);
    if (result.kind !== 'judged') throw new Error(result.kind);
    const { text } = checkEvent(result.judgement, {
      ...{ accountId: 'account', sandbox: true, cadenceSeconds: 300, apiKeyId: 'key', agentId: AGENT },
      ...{ profileVersion: this.#version, profileSha256: this.#sha256(), storePayload: profile.storePayload },
      ...{ coverage: decision.coverage, actionKind: decision.actionKind, idempotency: null, upgradeUrl: '' },
      approvalsUrl: '',
      plan: { cap: 40, expires: new Date(START + 4 * 86_400_000).toISOString() },
      origin: { principal: null, session, trace: null },
      action: committed(action as never),
      payload: payload === undefined ? null : committed(payload as never),
    });
    return { envelope: JSON.parse(text) as EventEnvelope, judgement: result.judgement };
  }

  #rules(rules: CheckTrip['rules'], action: CheckAction): CheckTrip['rules'] {
    const asking = askingRules(this.#profile.rules ?? []);
    if (rules === undefined || asking === null) return rules;
    const candidateId = (): string => `apr_00000000-0000-4000-8000-${`${this.#serial}`.padStart(12, '0')}`;
    const who = { accountId: 'account', agentId: AGENT, apiKeyId: 'key', principal: null };
    const check = { ...who, action, isTimed: false, candidateId, mostPending: 100, namedId: null };
    return withApprovals(rules, asking, check, new Uint8Array(32));
  }

  async #giveBack({ costMicros, ruleCounts, seen, nowMs }: Judgement): Promise<void> {
    const [day, month] = [new Date(nowMs).toISOString().slice(0, 10), new Date(nowMs).toISOString().slice(0, 7)];
    for (const period of [day, month]) this.#returned.set(period, (this.#returned.get(period) ?? 0) + costMicros);
    const [dayMicros, monthMicros] = [this.#returned.get(day)!, this.#returned.get(month)!];
    await this.#counters.giveBack(AGENT, { day, dayMicros, month, monthMicros });
    const held = (ruleCounts?.limits ?? []).filter(({ reserve }) => reserve);
    await this.#counters.giveBackHeld(
      AGENT,
      held.map(({ key, amount }) => ({ key, amount, order: seen!.order, atMs: nowMs })),
    );
  }

  #plain(
    type: EventEnvelope['leaf']['type'],
    refersTo: string | null,
    outcome: 'skipped' | null,
  ): EventEnvelope['leaf'] {
    const eventId = uuidV7(
      this.#nowMs,
      nodeCrypto.sha256(new TextEncoder().encode(`${++this.#serial}`)).subarray(0, 10),
    );
    return plainLeaf({
      type,
      eventId,
      agentId: AGENT,
      occurredAt: new Date(this.#nowMs).toISOString(),
      refersTo,
      outcome,
    });
  }

  #log(event: EventEnvelope['leaf'], opened: PackageEvent['opened'] = {}): void {
    const sequence = this.events.length + 1;
    this.events.push({ event, sequence, opened, status: 'Satisfied', statusReason: null, controls: [] });
  }

  #sha256(): string {
    return toHex(nodeCrypto.sha256(canonicalBytes(this.#profile)));
  }
}

describe('re-decision of what the counters judged', () => {
  it('finds every verdict the same and the balances continuous, whatever was taken back', async () => {
    let same = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const history = new History();
        await history.run(steps);
        const result = redecide(history, { sha256: nodeCrypto.sha256 });
        const wrong = result.events.filter(({ verdict, reason }) => verdict !== 'same' && reason !== 'payload');
        expect(wrong).toEqual([]);
        expect(result.agents.flatMap(({ breaks }) => breaks)).toEqual([]);
        expect(redecisionCode(result)).not.toBe(1);
        same += result.totals.same;
      }),
      { numRuns: HISTORIES },
    );
    expect(same).toBeGreaterThan(HISTORIES);
  });
});

import type { CheckAnswer, IdempotencyStamp } from '@countersign/contracts';
import type { CheckTrip, CheckTripResult, Counters, Judgement } from '@countersign/counters';
import { canonicalize } from '@countersign/evidence';
import { decide } from '@countersign/policy-engine';
import type { Decision } from '@countersign/policy-engine';
import type { EntropyPool } from '../domain/entropy.js';
import { idempotencyStamp } from '../domain/idempotency.js';
import type { CheckFacts } from '../domain/check-event.js';
import { eventIdOf } from '../domain/event-id.js';
import type { KnownAccount, KnownAgent, KnownFacts, KnownKey } from '../follow/known-facts.js';
import type { UnansweredChecks } from '../append-event/unanswered-checks.js';
import type { CheckUnderWay } from './check-under-way.js';
import type { CheckRecorder } from './check-recorder.js';
import type { PreparedCheck } from './prepare.js';

const BEHIND = 'A change of this account or agent has not arrived here yet. Do not act; try again.';
const UNCOUNTED = 'The check could not be counted. Do not act; try again.';
const NO_AGENT = 'no such agent, or it is inactive';
const NO_KEY = 'send a valid API key as x-service-key';

export interface CheckJudgeParts {
  readonly known: KnownFacts;
  readonly counters: Counters;
  readonly recorder: CheckRecorder;
  readonly unanswered: UnansweredChecks;
  readonly entropy: EntropyPool;
  readonly upgradeUrl: string;
  readonly now: () => number;
  readonly replayed: () => void;
}

/** From a well-formed check to its judgement: agent, static rules, one trip to the counters. */
export class CheckJudge {
  readonly #parts: CheckJudgeParts;

  constructor(parts: CheckJudgeParts) {
    this.#parts = parts;
  }

  async judge(
    check: CheckUnderWay,
    sentKey: KnownKey,
    keyText: string,
    prepared: PreparedCheck,
    idempotencyKey: string | null,
  ): Promise<void> {
    const { known, counters } = this.#parts;
    let key = sentKey;
    const stamp =
      idempotencyKey === null ? null : idempotencyStamp(key.accountId, idempotencyKey, canonicalize(prepared.request));
    // Once more after each change that arrived meanwhile; the deadline ends it.
    while (!check.over) {
      const agent = known.agent(prepared.agentId) ?? (await this.#newAgent(prepared.agentId, check));
      if (check.over) return;
      if (agent === null || agent.facts.accountId !== key.accountId || agent.facts.status === 'inactive') {
        return check.refuse(404, NO_AGENT);
      }
      const account = known.account(key.accountId) ?? (await this.#newAccount(key.accountId, check));
      if (account === null) return check.unavailable('unavailable', BEHIND);
      const decision = decide(agent.profile, prepared.action);
      const trip = this.#trip(key, account, agent, prepared, decision, stamp);
      const result = await counters.check(trip);
      if (result.kind === 'stale') {
        if (!(await this.#catchUp(check, trip, result.versions))) return check.unavailable('unavailable', BEHIND);
        const again = known.key(keyText);
        if (again === undefined) return check.refuse(401, NO_KEY, ['www-authenticate', 'Bearer']);
        key = again;
        continue;
      }
      const facts = this.#facts(key, account, agent, prepared, decision, stamp);
      return this.#follow(check, result, facts);
    }
  }

  #follow(
    check: CheckUnderWay,
    result: Exclude<CheckTripResult, { kind: 'stale' }>,
    facts: CheckFacts,
  ): Promise<void> | void {
    const { recorder, unanswered } = this.#parts;
    switch (result.kind) {
      case 'judged':
      case 'claimed':
        return recorder.record(check, result.judgement, facts);
      case 'rejudged':
        unanswered.add(supersededCheck(result.superseded, facts), false);
        return recorder.record(check, result.judgement, facts);
      case 'answered':
        this.#parts.replayed();
        return check.answer(result.answer as CheckAnswer, null);
      case 'conflict':
        return check.refuse(400, 'this Idempotency-Key was used with another body: send a new key');
      case 'unavailable':
        return check.unavailable('unavailable', UNCOUNTED);
    }
  }

  #trip(
    key: KnownKey,
    account: KnownAccount,
    agent: KnownAgent,
    prepared: PreparedCheck,
    decision: Decision,
    stamp: IdempotencyStamp | null,
  ): CheckTrip {
    const { entropy } = this.#parts;
    const { profile, facts } = agent;
    return {
      accountId: key.accountId,
      agentId: prepared.agentId,
      apiKeyId: key.id,
      versions: { account: account.version, apiKey: key.version, agent: agent.version },
      plan: account.plan,
      frozen: facts.status === 'frozen',
      observe: profile.observe,
      freezeOnViolation: profile.freezeOnViolation,
      violation: decision.violation,
      costMicros: decision.costMicros,
      spending: profile.spending,
      rate: profile.rate,
      idempotency: stamp,
      entropy: entropy.eventId(),
      actionSalt: entropy.salt(),
      payloadSalt: prepared.payload === null ? null : entropy.salt(),
    };
  }

  #facts(
    key: KnownKey,
    account: KnownAccount,
    agent: KnownAgent,
    prepared: PreparedCheck,
    decision: Decision,
    stamp: IdempotencyStamp | null,
  ): CheckFacts {
    const { facts, profile } = agent;
    return {
      accountId: key.accountId,
      sandbox: account.plan.plan === 'sandbox',
      cadenceSeconds: account.cadenceSeconds,
      apiKeyId: key.id,
      agentId: prepared.agentId,
      profileVersion: facts.profile.version,
      profileSha256: facts.profileSha256,
      storePayload: profile.storePayload,
      coverage: decision.coverage,
      actionKind: decision.actionKind,
      action: prepared.committed,
      payload: prepared.payload,
      idempotency: stamp,
      upgradeUrl: this.#parts.upgradeUrl,
    };
  }

  /** An agent that was made a moment ago is known to the counters before its record is read here. */
  async #newAgent(id: string, check: CheckUnderWay): Promise<KnownAgent | null> {
    const { counters, known } = this.#parts;
    const version = await counters.version('agent', id);
    if (version === null || check.over) return null;
    if (!(await known.agents.waitFor(id, version, this.#left(check)))) {
      check.unavailable('unavailable', BEHIND);
      return null;
    }
    return known.agent(id) ?? null;
  }

  /** The account of a known key: its record was written first, and may come through another partition. */
  async #newAccount(id: string, check: CheckUnderWay): Promise<KnownAccount | null> {
    const { known } = this.#parts;
    return (await known.accounts.waitFor(id, 1, this.#left(check))) ? (known.account(id) ?? null) : null;
  }

  async #catchUp(check: CheckUnderWay, trip: CheckTrip, versions: CheckTrip['versions']): Promise<boolean> {
    const { known } = this.#parts;
    const left = this.#left(check);
    const arrived = await Promise.all([
      known.accounts.waitFor(trip.accountId, versions.account, left),
      known.apiKeys.waitFor(trip.apiKeyId, versions.apiKey, left),
      known.agents.waitFor(trip.agentId, versions.agent, left),
    ]);
    return arrived.every(Boolean);
  }

  #left(check: CheckUnderWay): number {
    return Math.max(0, check.deadlineAt - this.#parts.now());
  }
}

function supersededCheck(judgement: Judgement, facts: CheckFacts): Parameters<UnansweredChecks['add']>[0] {
  return {
    eventId: eventIdOf(judgement.nowMs, judgement.entropy),
    agentId: facts.agentId,
    accountId: facts.accountId,
    cadenceSeconds: facts.cadenceSeconds,
    apiKeyId: facts.apiKeyId,
  };
}

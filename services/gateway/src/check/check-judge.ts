import { needsOwnKey, NOT_FOR_AGENT, ownKeyNeeded } from '@countersign/contracts';
import type { AgentSigning, CheckAnswer } from '@countersign/contracts';
import { CountersUnavailable } from '@countersign/counters';
import type { CheckTrip, CheckTripResult, Counters, Judgement } from '@countersign/counters';
import { decide, decideInSlices } from '@countersign/policy-engine';
import type { Decision, Surroundings } from '@countersign/policy-engine';
import { canonicalize } from '@countersign/evidence';
import type { EntropyPool } from '../domain/entropy.js';
import { retryAfterOf } from '../domain/check-approvals.js';
import type { CheckFacts } from '../domain/check-event.js';
import { circumstancesText } from '../domain/check-context.js';
import { eventIdOf } from '../domain/event-id.js';
import type { LatencyProbe } from '../admission/latency-probe.js';
import type { KnownAccount, KnownAgent, ReadModel } from '../follow/read-model.js';
import type { UnansweredChecks } from '../append-event/unanswered-checks.js';
import type { CheckJob } from './check-job.js';
import type { PendingCheck } from './pending-check.js';
import type { CheckRecorder } from './check-recorder.js';
import type { Credentials } from './credentials.js';
import { checkFacts } from './check-facts.js';
import { rulesOfTrip } from './rules-of-trip.js';
import { OTHER_THAN_TOKEN, withSubject } from '../domain/origin.js';
import type { Signatures } from '../signature/signatures.js';
import { needsToken } from '../subject-token/subject-tokens.js';
import type { SubjectTokens } from '../subject-token/subject-tokens.js';
import { TimeSlicer } from './time-slicer.js';

const BEHIND = 'A change of this account or agent has not arrived here yet. Do not act; try again.';
const UNCOUNTED = 'The check could not be counted. Do not act; try again.';
const NO_AGENT = 'no such agent, or it is inactive';

const TOKEN_NEEDED = 'checks of this agent need a token of an issuer that the account trusts: send X-Subject-Token';
const INVALID_SIGNATURE = [
  ...['www-authenticate', 'Bearer'],
  ...['accept-signature', 'sig1=("@method" "@path" "content-digest");created;nonce;keyid;alg="ed25519"'],
];
const INVALID_TOKEN = ['www-authenticate', 'Bearer error="invalid_token"'];

/** Characters from which a payload for output rules is judged in time slices. */
const LARGE_PAYLOAD = 65_536;

export interface CheckJudgeParts {
  readonly known: ReadModel;
  readonly counters: Counters;
  readonly credentials: Pick<Credentials, 'ended'>;
  readonly recorder: CheckRecorder;
  readonly unanswered: UnansweredChecks;
  readonly entropy: EntropyPool;
  readonly subjectTokens: Pick<SubjectTokens, 'judge'>;
  readonly signatures: Pick<Signatures, 'judge'>;
  readonly upgradeUrl: string;
  readonly approvalsUrl: () => string;
  /** Key of the bindings of approvals, and most open ones of an agent. */
  readonly approvals: { readonly key: Uint8Array; readonly mostPending: number };
  readonly now: () => number;
  /** Wall clock, ms since 1970. */
  readonly clock: () => number;
  readonly replayed: () => void;
  readonly crowded: () => void;
  /** Probe of the counters. */
  readonly trips: Pick<LatencyProbe, 'entered' | 'passed' | 'failed'>;
  /** A check returned from the counters after this many ms. */
  readonly counted: (milliseconds: number) => void;
}

/** From a well-formed check to its judgement: agent, static rules, one trip to the counters. */
export class CheckJudge {
  readonly #parts: CheckJudgeParts;
  readonly #slicer = new TimeSlicer();

  constructor(parts: CheckJudgeParts) {
    this.#parts = parts;
  }

  /** Judges the check until it is answered; errors end it as well. */
  judge(check: PendingCheck, job: CheckJob): void {
    try {
      this.#attempt(check, job);
    } catch (error) {
      check.fail(error);
    }
  }

  /** Repeated after each change that arrived meanwhile; the deadline ends it. */
  #attempt(check: PendingCheck, job: CheckJob): void {
    const { known } = this.#parts;
    const { key, prepared } = job;
    if (key.agents !== null && !key.agents.has(prepared.agentId)) {
      check.refuse(404, NOT_FOR_AGENT);
      return;
    }
    const agent = known.agent(prepared.agentId);
    const account = known.account(key.accountId);
    if (agent === undefined || account === undefined || agent.facts.accountId !== key.accountId) {
      this.#learn(check, job, agent).catch((error: unknown) => check.fail(error));
      return;
    }
    if (agent.facts.status === 'inactive') {
      check.refuse(404, NO_AGENT);
      return;
    }
    if (needsOwnKey(agent.facts, key)) {
      check.refuse(404, ownKeyNeeded(prepared.agentId));
      return;
    }
    if (agent.facts.signing === null) this.#authorize(check, job, account, agent);
    else this.#authenticate(check, job, account, agent, agent.facts.signing);
  }

  #authorize(check: PendingCheck, job: CheckJob, account: KnownAccount, agent: KnownAgent): void {
    if (job.token === undefined && account.trustedIssuers === null) this.#decide(check, job, account, agent);
    else this.#identify(check, job, account, agent);
  }

  /** Judges the signature of a check. Each attempt does, as the keys of the agent may have changed. */
  #authenticate(
    check: PendingCheck,
    job: CheckJob,
    account: KnownAccount,
    agent: KnownAgent,
    signing: AgentSigning,
  ): void {
    const { prepared, stamp, signature } = job;
    const by = stamp?.keySha256 ?? null;
    this.#parts.signatures
      .judge(prepared.agentId, signing, signature, by)
      .then((judged) => {
        if (check.over) return;
        if ('refused' in judged)
          return this.#refuseByNewest(
            check,
            job,
            { kind: 'agent', id: prepared.agentId, version: agent.version },
            judged.refused,
            INVALID_SIGNATURE,
          );
        if ('unavailable' in judged) return check.unavailable('unavailable', judged.unavailable);
        const { committed } = judged;
        return this.#authorize(check, { ...job, signed: committed }, account, agent);
      })
      .catch((error: unknown) => this.#failed(check, error));
  }

  #failed(check: PendingCheck, error: unknown): void {
    if (error instanceof CountersUnavailable) check.unavailable('unavailable', UNCOUNTED);
    else check.fail(error);
  }

  /** Judges the token of a check, or that it needs none. Each attempt does, as the trusted issuers may have changed. */
  #identify(check: PendingCheck, job: CheckJob, account: KnownAccount, agent: KnownAgent): void {
    const trusted = account.trustedIssuers ?? [];
    const { token, prepared } = job;
    const refuse = (reason: string): Promise<void> => {
      const { version } = account;
      const of = { kind: 'account', id: job.key.accountId, version } as const;
      return this.#refuseByNewest(check, job, of, reason, INVALID_TOKEN);
    };
    if (token === undefined) {
      if (!needsToken(trusted, prepared.agentId)) this.#decide(check, job, account, agent);
      else refuse(TOKEN_NEEDED).catch((error: unknown) => check.fail(error));
      return;
    }
    const { subjectTokens } = this.#parts;
    subjectTokens
      .judge(token.text, trusted, { id: prepared.agentId, name: agent.facts.name })
      .then((judged) => {
        if (check.over) return;
        if ('refused' in judged) return refuse(judged.refused);
        if ('unavailable' in judged) return check.unavailable('unavailable', judged.unavailable);
        const { subject } = judged;
        if ((token.named ?? subject.principal) !== subject.principal) return check.refuse(400, OTHER_THAN_TOKEN);
        const known = { ...job, origin: withSubject(token.origin, subject), stamp: token.stamp(subject) };
        return this.#decide(check, known, account, agent);
      })
      .catch((error: unknown) => check.fail(error));
  }

  /** Refuses by a record of the read model, once no newer one is on its way here. */
  async #refuseByNewest(
    check: PendingCheck,
    job: CheckJob,
    { kind, id, version }: { readonly kind: 'account' | 'agent'; readonly id: string; readonly version: number },
    reason: string,
    headers: readonly string[],
  ): Promise<void> {
    const { counters, known } = this.#parts;
    const newest = (await counters.version(kind, id)) ?? 0;
    if (newest <= version) return check.refuse(401, reason, headers);
    const followed = kind === 'agent' ? known.agents : known.accounts;
    if (!(await followed.waitFor(id, newest, this.#left(check)))) return check.unavailable('unavailable', BEHIND);
    if (!check.over) this.#attempt(check, job);
  }

  #decide(check: PendingCheck, job: CheckJob, account: KnownAccount, agent: KnownAgent): void {
    const { prepared } = job;
    const { principal, session, issuer, actors } = job.origin;
    const time = Math.floor(this.#parts.clock() / 1000);
    const unverified: Surroundings = { agentId: prepared.agentId, principal, session, time };
    const around =
      issuer === undefined ? unverified : { ...unverified, issuer, ...(actors === undefined ? {} : { actors }) };
    if (agent.profile.output !== null && (prepared.payload?.canonical.length ?? 0) > LARGE_PAYLOAD) {
      this.#slicer.take(
        decideInSlices(agent.profile, prepared.action, around, job.budget),
        () => check.over,
        (decision) => this.#count(check, job, account, agent, decision, time),
        (error) => check.fail(error),
      );
    } else {
      const decision = decide(agent.profile, prepared.action, around, job.budget);
      this.#count(check, job, account, agent, decision, time);
    }
  }

  #count(
    check: PendingCheck,
    job: CheckJob,
    account: KnownAccount,
    agent: KnownAgent,
    decision: Decision,
    time: number,
  ): void {
    const { counters, now, counted, trips } = this.#parts;
    const trip = this.#trip(job, account, agent, decision, time);
    const begunAt = now();
    trips.entered(begunAt);
    counters.check(trip).then(
      (result) => {
        const milliseconds = now() - begunAt;
        counted(milliseconds);
        if (result.kind === 'unavailable') trips.failed();
        else trips.passed(milliseconds);
        try {
          if (result.kind === 'stale') this.#wait(check, job, trip, result.versions);
          else this.#follow(check, result, checkFacts(job, account, agent, decision, this.#parts));
        } catch (error) {
          check.fail(error);
        }
      },
      (error: unknown) => {
        trips.failed();
        check.fail(error);
      },
    );
  }

  #follow(check: PendingCheck, result: Exclude<CheckTripResult, { kind: 'stale' }>, facts: CheckFacts): void {
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
        return check.answer(result.answer as CheckAnswer, retryAfterOf(result.answer.body), true);
      case 'crowded':
        this.#parts.crowded();
        return check.unavailable('unavailable', crowded(result.most));
      case 'conflict':
        return check.refuse(400, 'this Idempotency-Key was used with another body: send a new key');
      case 'unavailable':
        return check.unavailable('unavailable', UNCOUNTED);
    }
  }

  #trip(job: CheckJob, account: KnownAccount, agent: KnownAgent, decision: Decision, time: number): CheckTrip {
    const { entropy, approvals } = this.#parts;
    const { key, prepared, stamp, origin } = job;
    const { profile, facts } = agent;
    const rules = rulesOfTrip(job, agent, decision, entropy, approvals);
    return {
      accountId: key.accountId,
      agentId: prepared.agentId,
      apiKeyId: key.id,
      versions: { account: account.version, apiKey: key.version, agent: agent.version },
      plan: account.plan,
      profileVersion: facts.profileVersion,
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
      rules,
      wantsSeen: true,
      carried: circumstancesText({
        salt: entropy.salt(),
        seconds: time,
        offsets: decision.rules === null ? '{}' : canonicalize(decision.rules.offsets),
        trace: origin.trace,
        signature: job.signed ?? null,
      }),
    };
  }

  /**
   * The counters know a new agent before its record is read here. They are queried for another account's agent as well,
   * so that the time of the refusal does not reveal that it exists.
   */
  async #learn(check: PendingCheck, job: CheckJob, agent: KnownAgent | undefined): Promise<void> {
    const { counters, known } = this.#parts;
    const { agentId } = job.prepared;
    if (agent?.facts.accountId !== job.key.accountId) {
      const version = await counters.version('agent', agentId);
      if (version === null || agent !== undefined) return check.refuse(404, NO_AGENT);
      if (!(await known.agents.waitFor(agentId, version, this.#left(check)))) {
        return check.unavailable('unavailable', BEHIND);
      }
      // It was created and removed again.
      if (known.agent(agentId) === undefined) return check.refuse(404, NO_AGENT);
    }
    // The account's record was written before its key's, but may come through another partition.
    const { accountId } = job.key;
    if (!(await known.accounts.waitFor(accountId, 1, this.#left(check))) || known.account(accountId) === undefined) {
      return check.unavailable('unavailable', BEHIND);
    }
    if (!check.over) this.#attempt(check, job);
  }

  #wait(check: PendingCheck, job: CheckJob, trip: CheckTrip, versions: CheckTrip['versions']): void {
    const { known } = this.#parts;
    const left = this.#left(check);
    Promise.all([
      known.accounts.waitFor(trip.accountId, versions.account, left),
      known.apiKeys.waitFor(trip.apiKeyId, versions.apiKey, left),
      known.agents.waitFor(trip.agentId, versions.agent, left),
    ])
      .then((arrived) => {
        if (!arrived.every(Boolean)) return check.unavailable('unavailable', BEHIND);
        const key = known.keyOfId(job.key.id);
        if (key === undefined)
          return check.refuse(401, this.#parts.credentials.ended(job.key.id), ['www-authenticate', 'Bearer']);
        if (!check.over) this.#attempt(check, { ...job, key });
      })
      .catch((error: unknown) => check.fail(error));
  }

  #left(check: PendingCheck): number {
    return Math.max(0, check.deadlineAt - this.#parts.now());
  }
}

/** The bound of remembered answers is reached by pending keys. */
function crowded(most: number): string {
  return `${most} checks with an Idempotency-Key are under way, which is the most. Do not act; try again, or send no key.`;
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

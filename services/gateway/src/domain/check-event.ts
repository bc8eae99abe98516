import { hash } from 'node:crypto';
import { checkAnswer, wouldDenyOf } from '@countersign/contracts';
import type {
  ActionKind,
  AnswerExtras,
  CheckAnswer,
  IdempotencyStamp,
  LeafEvent,
  PolicyCoverage,
  Severity,
} from '@countersign/contracts';
import type { Judgement } from '@countersign/counters';
import { canonicalLeaf, commitMembers, commitmentText, joinMembers } from '@countersign/evidence';
import type { CommitmentKind } from '@countersign/evidence';
import { approvalAnswer, approvalsOfCheck, contextApproval, withUsed } from './check-approvals.js';
import { contextMembers, readCircumstances } from './check-context.js';
import type { CheckEffect, ContextPlan } from './check-context.js';
import type { Committed } from './committed.js';
import { eventIdOf } from './event-id.js';
import type { Origin } from './origin.js';
import { planRefusal } from './plan-refusal.js';

/** Facts of a check's event, in addition to its judgement. */
export interface CheckFacts {
  readonly accountId: string;
  readonly sandbox: boolean;
  readonly cadenceSeconds: number;
  readonly apiKeyId: string;
  /** Lower case. */
  readonly agentId: string;
  readonly profileVersion: number;
  readonly profileSha256: string;
  readonly storePayload: boolean;
  /** Members of the profile that apply to the action, ascending. */
  readonly coverage: readonly string[];
  readonly plan: ContextPlan;
  readonly origin: Origin;
  readonly actionKind: ActionKind;
  /** Without `payload`. */
  readonly action: Committed;
  readonly payload: Committed | null;
  readonly idempotency: IdempotencyStamp | null;
  readonly upgradeUrl: string;
  /** Address of the page of an approval, without its id. */
  readonly approvalsUrl: string;
}

export interface CheckEvent {
  readonly eventId: string;
  /** The envelope as JSON text: the message. */
  readonly text: string;
  readonly answer: CheckAnswer;
}

interface Words {
  readonly reason: string | null;
  readonly severity: Severity | null;
  readonly extras: AnswerExtras | null;
}

const SILENT: Words = { reason: null, severity: null, extras: null };

/**
 * The event of a check: a pure function of its judgement and these facts, so that building it again gives the same
 * bytes.
 */
export function checkEvent(judgement: Judgement, facts: CheckFacts): CheckEvent {
  const { violation, outcome } = judgement;
  const policy = outcome === 'allowed' || outcome === 'denied';
  const words: Words = policy ? wordsOf(judgement, facts) : planRefusal(outcome, facts.sandbox, facts.upgradeUrl);
  const { action, payload } = facts;
  const { actionSalt } = judgement;
  const payloadSalt = payload === null ? null : judgement.payloadSalt;
  const eventId = eventIdOf(judgement.nowMs, judgement.entropy);
  const violationType = policy ? (violation?.violation_type ?? null) : null;
  const context = contextOf(judgement, facts, violationType);
  const commitmentOf = context === null ? commitmentV1 : commitmentV2;
  // A spread would cost more than the commitments.
  const leaf: { -readonly [K in keyof LeafEvent]: LeafEvent[K] } = {
    v: context === null ? 1 : 2,
    type: 'action.checked',
    eventId,
    refersTo: null,
    agentId: facts.agentId,
    occurredAt: isoTime(judgement.nowMs),
    outcome,
    allowed: outcome === 'allowed',
    reason: words.reason,
    severity: words.severity,
    violation_type: violationType,
    rule: policy ? (violation?.rule ?? null) : null,
    detail: policy ? (violation?.detail ?? null) : null,
    actionKind: facts.actionKind,
    profileVersion: facts.profileVersion,
    profileSha256: facts.profileSha256,
    action: commitmentOf('action', actionSalt, action),
    payload: payloadSalt === null ? null : commitmentOf('payload', payloadSalt, payload!),
  };
  if (context !== null) {
    leaf.context = context.commitment;
    leaf.coverage = facts.coverage;
  }
  return {
    eventId,
    text: envelopeText(judgement, facts, leaf, words.extras, payloadSalt, context),
    answer:
      outcome === 'allowed'
        ? withUsed(
            { status: 200, body: ALLOWED_BODY, eventId, coverage: governedBy(facts), wouldDeny: wouldDenyOf(leaf) },
            judgement,
          )
        : checkAnswer({ leaf, answer: words.extras, coverage: governedBy(facts) })!,
  };
}

function wordsOf(judgement: Judgement, facts: CheckFacts): Words {
  const { violation } = judgement;
  if (violation === null) return SILENT;
  const asked = approvalAnswer(judgement, facts.approvalsUrl);
  return asked === null ? violation : { ...asked, severity: violation.severity };
}

const ALLOWED_BODY = '{"allowed":true}';

const textHash = (text: string): string => hash('sha256', text);

type Commitment = (kind: CommitmentKind, salt: string, value: Committed) => string;

const commitmentV1: Commitment = (kind, salt, { canonical }) => textHash(commitmentText(kind, salt, canonical));

const commitmentV2: Commitment = (kind, salt, value) =>
  value.members === null ? commitmentV1(kind, salt, value) : commitMembers(kind, salt, value.members, textHash);

/** The context of a check and its opening. */
interface CheckContext {
  readonly order: number;
  readonly commitment: string;
  readonly salt: string;
  readonly canonical: string;
}

/**
 * `null` for a judgement that a release before contexts has left as a claim: its event may be in the log as a leaf of
 * version 1, and is built again as it was.
 */
function contextOf(judgement: Judgement, facts: CheckFacts, violationType: string | null): CheckContext | null {
  const { carried, seen, outcome } = judgement;
  if (carried === undefined || seen === undefined) return null;
  const circumstances = readCircumstances(carried);
  const { salt } = circumstances;
  const effect = effectOf(outcome === 'allowed', violationType, judgement.violation?.extras);
  const approval = (judgement.approvals ?? judgement.asked) ? contextApproval(judgement) : null;
  const members = contextMembers(outcome, effect, seen, facts.plan, facts.origin, circumstances, approval);
  return {
    order: seen.order,
    commitment: commitMembers('context', salt, members, textHash),
    salt,
    canonical: joinMembers(members),
  };
}

/** @param violationType `null` where the plan refuses a check, whatever the rules found */
function effectOf(
  allowed: boolean,
  violationType: string | null,
  extras: AnswerExtras | null | undefined,
): CheckEffect {
  if (allowed) return violationType === null ? 'allow' : 'observe';
  if (violationType === null) return 'deny';
  if (violationType === 'approval_required') return 'approve';
  const decision = extras?.decision;
  return decision === 'modify' || decision === 'defer' ? decision : 'deny';
}

function governedBy({ coverage }: Pick<CheckFacts, 'coverage'>): PolicyCoverage {
  return coverage.length > 0 ? 'governed' : 'none';
}

/** The message of a check, an `EventEnvelope`, from existing canonical forms: nothing is traversed a second time. */
function envelopeText(
  judgement: Judgement,
  facts: CheckFacts,
  leaf: LeafEvent,
  answer: AnswerExtras | null,
  payloadSalt: string | null,
  context: CheckContext | null,
): string {
  const { idempotency, payload } = facts;
  const approvals =
    judgement.approvals === undefined && judgement.asked === undefined
      ? null
      : approvalsOfCheck(judgement, facts.apiKeyId, facts.origin);
  return (
    `{"v":1,"leaf":${canonicalLeaf(leaf)},"openings":{"action":{"salt":"${judgement.actionSalt}"` +
    `,"value":${facts.action.canonical}}${payloadSalt === null ? '' : `,"payload":{"salt":"${payloadSalt}"`}` +
    `${payloadSalt !== null && facts.storePayload ? `,"value":${payload!.canonical}` : ''}` +
    `${payloadSalt === null ? '' : '}'}${context === null ? '' : `,"context":{"salt":"${context.salt}","value":${context.canonical}}`}}` +
    `,"accountId":"${facts.accountId}"` +
    `,"cadenceSeconds":${facts.cadenceSeconds},"costMicros":${judgement.costMicros}` +
    `,"countsAction":${judgement.countsAction},"countsRate":${judgement.countsRate},"freezesAgent":${judgement.freezesAgent}` +
    `,"apiKeyId":"${facts.apiKeyId}","idempotency":${idempotency === null ? 'null' : JSON.stringify(idempotency)}` +
    `,"answer":${answer === null ? 'null' : JSON.stringify(answer)},"coverage":"${governedBy(facts)}"` +
    `${context === null ? '' : `,"order":${context.order}`}` +
    `${judgement.ruleCounts === undefined ? '' : `,"ruleCounts":${JSON.stringify(judgement.ruleCounts)}`}` +
    `${approvals === null ? '' : `,"approvals":${JSON.stringify(approvals)}`}}`
  );
}

let lastIso = { ms: -1, text: '' };

/** ISO 8601 UTC with milliseconds; checks of one millisecond share it. */
function isoTime(ms: number): string {
  if (ms !== lastIso.ms) lastIso = { ms, text: new Date(ms).toISOString() };
  return lastIso.text;
}

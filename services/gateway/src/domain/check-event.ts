import { hash } from 'node:crypto';
import { checkAnswer, wouldDenyOf } from '@countersign/contracts';
import type {
  ActionKind,
  AnswerExtras,
  CheckAnswer,
  EventEnvelope,
  IdempotencyStamp,
  JsonValue,
  LeafEvent,
  PolicyCoverage,
  Severity,
} from '@countersign/contracts';
import type { Judgement } from '@countersign/counters';
import { canonicalLeaf, commitmentText } from '@countersign/evidence';
import { eventIdOf } from './event-id.js';
import { planRefusal } from './plan-refusal.js';

/** A value and its RFC 8785 form. */
export interface Committed {
  readonly value: JsonValue;
  readonly canonical: string;
}

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
  readonly coverage: PolicyCoverage;
  readonly actionKind: ActionKind;
  /** Without `payload`. */
  readonly action: Committed;
  readonly payload: Committed | null;
  readonly idempotency: IdempotencyStamp | null;
  readonly upgradeUrl: string;
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
  const words = policy ? (violation ?? SILENT) : planRefusal(outcome, facts.sandbox, facts.upgradeUrl);
  const { action, payload } = facts;
  const { actionSalt } = judgement;
  const payloadSalt = payload === null ? null : judgement.payloadSalt;
  const eventId = eventIdOf(judgement.nowMs, judgement.entropy);
  const leaf: LeafEvent = {
    v: 1,
    type: 'action.checked',
    eventId,
    refersTo: null,
    agentId: facts.agentId,
    occurredAt: isoTime(judgement.nowMs),
    outcome,
    allowed: outcome === 'allowed',
    reason: words.reason,
    severity: words.severity,
    violation_type: policy ? (violation?.violation_type ?? null) : null,
    rule: policy ? (violation?.rule ?? null) : null,
    detail: policy ? (violation?.detail ?? null) : null,
    actionKind: facts.actionKind,
    profileVersion: facts.profileVersion,
    profileSha256: facts.profileSha256,
    action: hash('sha256', commitmentText('action', actionSalt, action.canonical)),
    payload: payloadSalt === null ? null : hash('sha256', commitmentText('payload', payloadSalt, payload!.canonical)),
  };
  return {
    eventId,
    text: envelopeText(judgement, facts, leaf, words.extras, payloadSalt),
    answer:
      outcome === 'allowed'
        ? { status: 200, body: ALLOWED_BODY, eventId, coverage: facts.coverage, wouldDeny: wouldDenyOf(leaf) }
        : checkAnswer(envelopeOf(judgement, facts, leaf, words.extras, payloadSalt))!,
  };
}

const ALLOWED_BODY = '{"allowed":true}';

/** The message of a check. */
export function envelopeOf(
  judgement: Judgement,
  facts: CheckFacts,
  leaf: LeafEvent,
  answer: AnswerExtras | null,
  payloadSalt: string | null,
): EventEnvelope {
  const { action, payload, storePayload } = facts;
  return {
    v: 1,
    leaf,
    openings: {
      action: { salt: judgement.actionSalt, value: action.value },
      ...(payloadSalt === null || payload === null
        ? {}
        : { payload: storePayload ? { salt: payloadSalt, value: payload.value } : { salt: payloadSalt } }),
    },
    accountId: facts.accountId,
    cadenceSeconds: facts.cadenceSeconds,
    costMicros: judgement.costMicros,
    countsAction: judgement.countsAction,
    countsRate: judgement.countsRate,
    freezesAgent: judgement.freezesAgent,
    apiKeyId: facts.apiKeyId,
    idempotency: facts.idempotency,
    answer,
    coverage: facts.coverage,
  };
}

/** {@link envelopeOf} as text, from existing canonical forms: nothing is traversed a second time. */
function envelopeText(
  judgement: Judgement,
  facts: CheckFacts,
  leaf: LeafEvent,
  answer: AnswerExtras | null,
  payloadSalt: string | null,
): string {
  const { idempotency, payload } = facts;
  return (
    `{"v":1,"leaf":${canonicalLeaf(leaf)},"openings":{"action":{"salt":"${judgement.actionSalt}"` +
    `,"value":${facts.action.canonical}}${payloadSalt === null ? '' : `,"payload":{"salt":"${payloadSalt}"`}` +
    `${payloadSalt !== null && facts.storePayload ? `,"value":${payload!.canonical}` : ''}` +
    `${payloadSalt === null ? '' : '}'}},"accountId":"${facts.accountId}"` +
    `,"cadenceSeconds":${facts.cadenceSeconds},"costMicros":${judgement.costMicros}` +
    `,"countsAction":${judgement.countsAction},"countsRate":${judgement.countsRate},"freezesAgent":${judgement.freezesAgent}` +
    `,"apiKeyId":"${facts.apiKeyId}","idempotency":${idempotency === null ? 'null' : JSON.stringify(idempotency)}` +
    `,"answer":${answer === null ? 'null' : JSON.stringify(answer)},"coverage":"${facts.coverage}"}`
  );
}

let lastIso = { ms: -1, text: '' };

/** ISO 8601 UTC with milliseconds; checks of one millisecond share it. */
function isoTime(ms: number): string {
  if (ms !== lastIso.ms) lastIso = { ms, text: new Date(ms).toISOString() };
  return lastIso.text;
}

import { hash } from 'node:crypto';
import { checkAnswer } from '@countersign/contracts';
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

/** What a check's event is made of, beside its judgement. */
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
  readonly envelope: EventEnvelope;
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

/** The event of a check: a pure function of its judgement and these facts, so whoever builds it again gets the same bytes. */
export function checkEvent(judgement: Judgement, facts: CheckFacts): CheckEvent {
  const { violation, outcome } = judgement;
  const policy = outcome === 'allowed' || outcome === 'denied';
  const words = policy ? (violation ?? SILENT) : planRefusal(outcome, facts.sandbox, facts.upgradeUrl);
  const { action, payload, storePayload } = facts;
  const { actionSalt, payloadSalt } = judgement;
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
    payload:
      payload === null || payloadSalt === null
        ? null
        : hash('sha256', commitmentText('payload', payloadSalt, payload.canonical)),
  };
  const answer = words.extras;
  const envelope: EventEnvelope = {
    v: 1,
    leaf,
    openings: {
      action: { salt: actionSalt, value: action.value },
      ...(payload === null || payloadSalt === null
        ? {}
        : { payload: storePayload ? { salt: payloadSalt, value: payload.value } : { salt: payloadSalt } }),
    },
    accountId: facts.accountId,
    cadenceSeconds: facts.cadenceSeconds,
    costMicros: outcome === 'allowed' ? judgement.costMicros : 0,
    countsAction: judgement.countsAction,
    freezesAgent: judgement.freezesAgent,
    apiKeyId: facts.apiKeyId,
    idempotency: facts.idempotency,
    answer,
    coverage: facts.coverage,
  };
  return { eventId, envelope, text: envelopeText(envelope, action, payload), answer: checkAnswer(envelope)! };
}

/** `JSON.stringify(envelope)` up to the order of members, from canonical forms that are at hand. */
function envelopeText(envelope: EventEnvelope, action: Committed, payload: Committed | null): string {
  const { openings, idempotency, answer } = envelope;
  let opened = `{"action":{"salt":"${openings.action!.salt}","value":${action.canonical}}`;
  if (openings.payload !== undefined) {
    const value = payload !== null && openings.payload.value !== undefined ? `,"value":${payload.canonical}` : '';
    opened += `,"payload":{"salt":"${openings.payload.salt}"${value}}`;
  }
  return (
    `{"v":1,"leaf":${canonicalLeaf(envelope.leaf)},"openings":${opened}},"accountId":"${envelope.accountId}"` +
    `,"cadenceSeconds":${envelope.cadenceSeconds},"costMicros":${envelope.costMicros}` +
    `,"countsAction":${envelope.countsAction},"freezesAgent":${envelope.freezesAgent}` +
    `,"apiKeyId":${envelope.apiKeyId === null ? 'null' : `"${envelope.apiKeyId}"`}` +
    `,"idempotency":${idempotency === null ? 'null' : JSON.stringify(idempotency)}` +
    `,"answer":${answer === null ? 'null' : JSON.stringify(answer)}` +
    `,"coverage":${envelope.coverage === null ? 'null' : `"${envelope.coverage}"`}}`
  );
}

let lastIso = { ms: -1, text: '' };

/** ISO 8601 UTC with milliseconds; checks of one millisecond share it. */
function isoTime(ms: number): string {
  if (ms !== lastIso.ms) lastIso = { ms, text: new Date(ms).toISOString() };
  return lastIso.text;
}

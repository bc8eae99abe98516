import type {
  ApprovalAsked,
  ApprovalFacts,
  ApprovalRequested,
  ApprovalState,
  ApprovalUsed,
  EventEnvelope,
  Role,
} from '@countersign/contracts';
import { isoTime } from './agent.js';

/** The decision of one person about an approval. */
export interface Decision {
  readonly decision: 'approve' | 'deny';
  readonly userId: string;
  readonly role: Role;
  readonly atMs: number;
  readonly comment?: string;
  /** The digest of what the person was shown, as the person's client sent it back. */
  readonly shownSha256?: string;
}

/** A submission of an access request with an `Idempotency-Key`, as digests. */
export interface Submission {
  /** SHA-256 over the API key's id and the `Idempotency-Key`, lower-case hex. */
  readonly keySha256: string;
  /** SHA-256 over the canonical body, lower-case hex. */
  readonly bodySha256: string;
}

/** Submissions that are remembered of an approval: the first ones. */
const MOST_SUBMISSIONS = 20;

/** The request for a decision about one action, and what became of it. Times are ms by the counters' clock. */
export interface Approval extends ApprovalAsked {
  /** `apr_` and a UUID. */
  readonly id: string;
  readonly accountId: string;
  readonly agentId: string;
  readonly state: ApprovalState;
  /** The first check that asked for it; the archive has its action. */
  readonly eventId: string;
  /** The commitment to the action in the leaf of that check. */
  readonly actionSha256: string;
  readonly profileVersion: number | null;
  readonly profileSha256: string | null;
  readonly cadenceSeconds: number;
  readonly requester: ApprovalRequested['requester'];
  readonly requestedAtMs: number;
  readonly expiresAtMs: number;
  /** Of one that was approved: until then it may be used. */
  readonly usableUntilMs?: number;
  readonly decisions: readonly Decision[];
  /** The event that commits its comments: an order to erase the content of that event erases them here. Absent: see {@link commentsAtMs}. */
  readonly commentsIn?: string;
  /** The newest checks that used it. */
  readonly usedBy: readonly string[];
  /** Gateways have no use for it any more: it was used up, or its time is over. */
  readonly isOver: boolean;
  /** The first access requests about it, oldest first; absent: none with an `Idempotency-Key`. */
  readonly submissions?: readonly Submission[];
}

/** Checks that used an approval, at most: a reusable one may be used any number of times. */
const MOST_USES = 100;

/** The approval that a check asked for. */
export function requested(
  { state: _state, id, expiresAt, requester, ...asked }: ApprovalRequested,
  { leaf, accountId, cadenceSeconds }: Pick<EventEnvelope, 'leaf' | 'accountId' | 'cadenceSeconds'>,
): Approval {
  return {
    ...asked,
    id,
    accountId,
    agentId: leaf.agentId,
    state: 'pending',
    eventId: leaf.eventId,
    actionSha256: leaf.action ?? '',
    profileVersion: leaf.profileVersion,
    profileSha256: leaf.profileSha256,
    cadenceSeconds,
    requester,
    requestedAtMs: Date.parse(leaf.occurredAt),
    expiresAtMs: Date.parse(expiresAt),
    decisions: [],
    usedBy: [],
    isOver: false,
  };
}

/** Adds a decision. A denial ends the request; so many approvals as the rule asks for grant it. */
export function decided(approval: Approval, decision: Decision): Approval {
  const decisions = [...approval.decisions, decision];
  if (decision.decision === 'deny') return { ...approval, decisions, state: 'denied' };
  if (decisions.length < leastApprovals(approval)) return { ...approval, decisions };
  const { reuse, expiresAtMs } = approval;
  const usableUntilMs = reuse === undefined ? expiresAtMs : decision.atMs + reuse.until_seconds * 1000;
  return { ...approval, decisions, state: 'approved', usableUntilMs };
}

/** Remembers a submission. The same object: there is no room for it, and none of those that are remembered makes room. */
export function submitted(approval: Approval, submission: Submission): Approval {
  const { submissions = [] } = approval;
  if (submissions.length >= MOST_SUBMISSIONS) return approval;
  return { ...approval, submissions: [...submissions, submission] };
}

/** Removes what people wrote; who decided what, and when, stays. The same object: there is no comment. */
export function withoutComments(approval: Approval): Approval {
  if (!hasComments(approval)) return approval;
  return { ...approval, decisions: approval.decisions.map(({ comment: _erased, ...decision }) => decision) };
}

export function hasComments({ decisions }: Pick<Approval, 'decisions'>): boolean {
  return decisions.some(({ comment }) => comment !== undefined);
}

/**
 * The time in the id of the event that commits its comments, ms; `null`: it has none, or they are in no event yet. The
 * previous release did not store the id of the event; that of a decision has the time of the last one.
 */
export function commentsAtMs(approval: Approval): number | null {
  if (!hasComments(approval)) return null;
  if (approval.commentsIn !== undefined) return timeOfId(approval.commentsIn);
  return wasDecided(approval) ? approval.decisions.at(-1)!.atMs : null;
}

/** `true` where an event of this id commits the comments, or may do so by its time. */
export function commentsAreIn(approval: Approval, eventId: string): boolean {
  const { commentsIn } = approval;
  return commentsIn === undefined ? commentsAtMs(approval) === timeOfId(eventId) : commentsIn === eventId;
}

/** The time of a UUID v7, ms (RFC 9562 section 5.7). */
export function timeOfId(eventId: string): number {
  return parseInt(eventId.replace('-', '').slice(0, 12), 16);
}

/** How many people must approve. */
export function leastApprovals({ approvers }: Pick<Approval, 'approvers'>): number {
  return approvers?.min ?? 1;
}

/** Adds a use by a check; `consumed` ends the approval. A use that is known already changes nothing. */
export function used(approval: Approval, by: ApprovalUsed['state'], eventId: string): Approval {
  if (approval.usedBy.includes(eventId)) return approval;
  const usedBy = [...approval.usedBy, eventId].slice(-MOST_USES);
  return by === 'used' ? { ...approval, usedBy } : { ...approval, usedBy, state: 'consumed', isOver: true };
}

/**
 * Ends what is over at that time: a request that was not decided and an approval that was not used expire, a denial no
 * longer holds. The same object: it goes on.
 */
export function ended(approval: Approval, nowMs: number): Approval {
  if (approval.isOver || nowMs < endsAtMs(approval)) return approval;
  return { ...approval, isOver: true, state: approval.state === 'denied' ? 'denied' : 'expired' };
}

/**
 * Until when it is decided, used, or holds as a denial. What the counters let pass in the last moment reaches the log a
 * moment later, so an approval that was given ends after that.
 */
export function endsAtMs({ state, usableUntilMs, expiresAtMs }: Approval): number {
  return state === 'approved' ? (usableUntilMs ?? expiresAtMs) + LATE_USE_MS : expiresAtMs;
}
const LATE_USE_MS = 60_000;

/** Its record in the topic `approvals`; `null`: it has none. */
export function approvalFacts(approval: Approval): ApprovalFacts | null {
  const { accountId, agentId, ruleId, bindingSha256, state, expiresAtMs, usableUntilMs, reuse, isOver } = approval;
  if (isOver || (state !== 'approved' && state !== 'denied')) return null;
  return {
    accountId,
    agentId,
    ruleId,
    bindingSha256,
    state,
    expiresAt: isoTime(expiresAtMs),
    usableUntil: isoTime(usableUntilMs ?? expiresAtMs),
    ...(reuse === undefined ? {} : { reusable: true }),
  };
}

/** The version of its record in the topic: it says what was decided, and is removed later. */
export function recordVersion({ isOver }: Pick<Approval, 'isOver'>): 1 | 2 {
  return isOver ? 2 : 1;
}

/** It has or had a record in the topic. */
export function wasDecided({ decisions, usableUntilMs }: Approval): boolean {
  return usableUntilMs !== undefined || decisions.at(-1)?.decision === 'deny';
}

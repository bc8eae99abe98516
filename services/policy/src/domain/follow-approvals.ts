import { approvalId } from '@countersign/contracts';
import type { ApprovalOfCheck, EventEnvelope, JsonValue, Role } from '@countersign/contracts';
import { commentsAreIn, decided, ended, hasComments, requested, used, withoutComments } from './approval.js';
import type { Approval, Decision } from './approval.js';
import type { ApprovalEvent } from './approval-event.js';

/** The part of an event of the log that concerns approvals. */
export interface ApprovalNews {
  readonly envelope: Pick<EventEnvelope, 'leaf' | 'accountId' | 'cadenceSeconds'>;
  /** Of a check. */
  readonly ofCheck: readonly ApprovalOfCheck[];
  /** Of an event that this service has written: what the approval was decided by, or `null` where it has expired. */
  readonly settled?: { readonly id: string; readonly decisions: readonly SettledDecision[]; readonly isOver: boolean };
  /** Of an order of erasure: the event whose content goes. */
  readonly erases?: string;
}

type SettledDecision = Omit<Decision, 'atMs'> & { readonly latencyMs: number };

/** An approval that a batch of events changes, with the events to be written. */
export interface ChangedApproval {
  readonly approval: Approval;
  readonly events: readonly ApprovalEvent[];
}

/** `null` for an event that concerns no approval. */
export function readApprovalNews(envelope: EventEnvelope): ApprovalNews | null {
  const { leaf, approvals, openings } = envelope;
  if (leaf.type === 'action.checked') {
    return approvals === undefined || approvals.length === 0 ? null : { envelope, ofCheck: approvals };
  }
  if (leaf.type === 'content.erased') {
    return leaf.refersTo === null ? null : { envelope, ofCheck: [], erases: leaf.refersTo };
  }
  if (leaf.type !== 'approval.decided' && leaf.type !== 'approval.expired') return null;
  const value = openings.action?.value;
  if (!isObject(value) || typeof value['approval'] !== 'string') return null;
  const earlier: readonly JsonValue[] = Array.isArray(value['earlier']) ? (value['earlier'] as JsonValue[]) : [];
  const decisions = [...earlier, value].flatMap((one: JsonValue) => decisionOf(one) ?? []);
  const isOver = leaf.type === 'approval.expired';
  return { envelope, ofCheck: [], settled: { id: approvalId(value['approval']), decisions, isOver } };
}

/** The approvals that an event concerns. */
export function approvalIdsOf({ ofCheck, settled }: ApprovalNews): readonly string[] {
  return settled === undefined ? ofCheck.map(({ id }) => id) : [settled.id];
}

/**
 * Applies events in the order of the log. The first check that asks for an approval opens it; later ones change nothing.
 * What this service has written itself is stored already, except in a store that was put back from an older copy. An order
 * of erasure removes the comments that the event committed whose content goes.
 * @param commented approvals that an event may have the comments of, by its id
 */
export function followApprovals(
  news: readonly ApprovalNews[],
  known: (id: string) => Approval | null,
  commented: (eventId: string) => readonly Approval[] = () => [],
): readonly ChangedApproval[] {
  const changed = new Map<string, ChangedApproval>();
  const put = (before: Approval | null, approval: Approval, event: ApprovalEvent | null): void => {
    if (approval === before) return;
    const events = [...(changed.get(approval.id)?.events ?? []), ...(event === null ? [] : [event])];
    changed.set(approval.id, { approval, events });
  };
  for (const { envelope, ofCheck, settled, erases } of news) {
    const { leaf, accountId } = envelope;
    const occurredAtMs = Date.parse(leaf.occurredAt);
    const event = { refersTo: leaf.eventId, occurredAtMs };
    for (const one of ofCheck) {
      const before = changed.get(one.id)?.approval ?? known(one.id);
      if (one.state === 'requested') {
        if (before === null) put(null, requested(one, envelope), { type: 'approval.requested', ...event });
      } else if (before !== null && isOf(before, accountId, leaf.agentId)) {
        const after = used(before, one.state, leaf.eventId);
        put(before, after, one.state === 'consumed' ? { type: 'approval.consumed', ...event } : null);
      }
    }
    if (erases !== undefined) {
      const inBatch = [...changed.values()].map(({ approval }) => approval);
      const others = commented(erases).filter(({ id }) => !changed.has(id));
      for (const before of [...inBatch, ...others]) {
        if (!isOf(before, accountId, leaf.agentId) || !commentsAreIn(before, erases)) continue;
        put(before, withoutComments(before), null);
      }
    }
    if (settled === undefined) continue;
    const before = changed.get(settled.id)?.approval ?? known(settled.id);
    if (before?.state !== 'pending' || !isOf(before, accountId, leaf.agentId)) continue;
    put(before, settle(before, settled, leaf.eventId, occurredAtMs), null);
  }
  return [...changed.values()];
}

function settle(
  before: Approval,
  { decisions, isOver }: NonNullable<ApprovalNews['settled']>,
  eventId: string,
  nowMs: number,
): Approval {
  const undecided = { ...before, decisions: [] };
  const after = decisions.reduce<Approval>(
    (approval, { latencyMs, ...one }) => decided(approval, { ...one, atMs: before.requestedAtMs + latencyMs }),
    undecided,
  );
  const settled = isOver ? ended(after, Math.max(nowMs, after.expiresAtMs)) : after;
  return hasComments(settled) ? { ...settled, commentsIn: eventId } : settled;
}

function isOf(approval: Approval, accountId: string, agentId: string): boolean {
  return approval.accountId === accountId && approval.agentId === agentId;
}

function decisionOf(value: JsonValue): SettledDecision | null {
  if (!isObject(value)) return null;
  const { by, role, decision, latencyMs, comment, shownSha256 } = value;
  if (typeof by !== 'string' || typeof latencyMs !== 'number') return null;
  if (decision !== 'approve' && decision !== 'deny') return null;
  return {
    decision,
    userId: by,
    role: role as Role,
    latencyMs,
    ...(typeof comment === 'string' ? { comment } : {}),
    ...(typeof shownSha256 === 'string' ? { shownSha256 } : {}),
  };
}

function isObject(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

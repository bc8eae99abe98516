import { KNOWN_MS, MOST_APPROVALS } from '../approvals.js';
import type { ApprovalDecision, AskedApproval, FoundApproval, LoggedApproval } from '../approvals.js';
import type { TripApprovals } from '../rule-trip.js';

interface Kept {
  readonly id: string;
  state: 'pending' | 'approved' | 'denied' | 'consumed';
  readonly expiresAtMs: number;
  usableUntilMs: number;
  reusable: boolean;
}

/** Approvals of one agent. */
export class AgentApprovals {
  readonly #byBinding = new Map<string, Kept>();

  /** The approval of a binding, if it is usable. */
  usable(bindingSha256: string, nowMs: number): Kept | null {
    const kept = this.#byBinding.get(bindingSha256);
    return kept?.state === 'approved' && kept.usableUntilMs > nowMs ? kept : null;
  }

  /** Finds the approval that an action waits for, or opens one. @param expiresAtMs of one that is opened */
  ask(
    bindingSha256: string,
    { rules, candidateId, mostPending, namedId }: TripApprovals,
    expiresAtMs: number,
    nowMs: number,
  ): AskedApproval {
    const found = namedId === null ? null : this.#named(namedId);
    // A check that needs several approvals may name that of another rule.
    const isOfOther =
      found !== null && found.binding !== bindingSha256 && rules.some((one) => one.bindingSha256 === found.binding);
    const named = isOfOther ? null : found;
    if (named !== null && named.binding !== bindingSha256) return without('out_of_scope');
    if (named?.kept.state === 'consumed') return without('approval_consumed');
    if (named !== null && overAtMs(named.kept) <= nowMs) return without('approval_expired');
    const kept = this.#byBinding.get(bindingSha256);
    if (kept !== undefined && kept.expiresAtMs > nowMs && (kept.state === 'pending' || kept.state === 'denied')) {
      const code = kept.state === 'pending' ? 'approval_pending' : 'approval_denied';
      return { code, id: kept.id, expiresAtMs: kept.expiresAtMs };
    }
    this.#forget(nowMs);
    const isNew = !this.#byBinding.has(bindingSha256);
    if (this.#pending(nowMs) >= mostPending || (isNew && this.#byBinding.size >= MOST_APPROVALS)) {
      return without('too_many_pending');
    }
    this.#open(bindingSha256, candidateId, expiresAtMs, 'pending');
    return { code: 'approval_pending', id: candidateId, expiresAtMs };
  }

  use({ bindingSha256, id, reusable }: FoundApproval): void {
    const kept = this.#byBinding.get(bindingSha256);
    if (!reusable && kept?.id === id) kept.state = 'consumed';
  }

  /** Reverts a use. */
  giveBack({ bindingSha256, id }: FoundApproval): void {
    const kept = this.#byBinding.get(bindingSha256);
    if (kept?.id === id && kept.state === 'consumed') kept.state = 'approved';
  }

  /** As `Counters.decideApproval`. */
  decide(decision: ApprovalDecision, nowMs: number): void {
    const { bindingSha256, id, state, expiresAtMs, usableUntilMs, reusable } = decision;
    const kept = this.#byBinding.get(bindingSha256);
    if (kept === undefined) {
      if (!reusable || state === 'denied' || usableUntilMs <= nowMs) return;
      this.#byBinding.set(bindingSha256, { id, state, expiresAtMs, usableUntilMs, reusable });
    } else if (kept.id === id && kept.state === 'pending') {
      kept.state = state;
      kept.usableUntilMs = usableUntilMs;
      kept.reusable = reusable;
    }
  }

  /** Puts back what the log says: an approval that is used up does not open again, a later one replaces it. */
  replay({ bindingSha256, id, expiresAtMs, isConsumed }: LoggedApproval, nowMs: number): void {
    if (expiresAtMs <= nowMs) return;
    const kept = this.#byBinding.get(bindingSha256);
    if (kept?.id === id) {
      if (isConsumed) kept.state = 'consumed';
    } else if (kept === undefined || kept.expiresAtMs < expiresAtMs) {
      this.#open(bindingSha256, id, expiresAtMs, isConsumed ? 'consumed' : 'pending');
    }
  }

  #open(bindingSha256: string, id: string, expiresAtMs: number, state: Kept['state']): void {
    this.#byBinding.set(bindingSha256, { id, state, expiresAtMs, usableUntilMs: 0, reusable: false });
  }

  #named(id: string): { readonly binding: string; readonly kept: Kept } | null {
    for (const [binding, kept] of this.#byBinding) if (kept.id === id) return { binding, kept };
    return null;
  }

  #pending(nowMs: number): number {
    let pending = 0;
    for (const { state, expiresAtMs } of this.#byBinding.values()) {
      if (state === 'pending' && expiresAtMs > nowMs) pending += 1;
    }
    return pending;
  }

  /** Removes approvals that have been over for long, and where there are too many, those that were over first. */
  #forget(nowMs: number): void {
    const over = [...this.#byBinding].filter(([, kept]) => overAtMs(kept) <= nowMs);
    over.sort(([a, one], [b, other]) => overAtMs(one) - overAtMs(other) || (a < b ? -1 : 1));
    for (const [binding, kept] of over) {
      if (overAtMs(kept) + KNOWN_MS > nowMs && this.#byBinding.size < MOST_APPROVALS) return;
      this.#byBinding.delete(binding);
    }
    if (this.#byBinding.size >= MOST_APPROVALS) this.#forgetUsed();
  }

  /** Removes the one of those that were used up that expires first. */
  #forgetUsed(): void {
    const used = [...this.#byBinding].filter(([, { state }]) => state === 'consumed');
    used.sort(([a, one], [b, other]) => one.expiresAtMs - other.expiresAtMs || (a < b ? -1 : 1));
    const [first] = used;
    if (first !== undefined) this.#byBinding.delete(first[0]);
  }
}

function overAtMs({ state, expiresAtMs, usableUntilMs }: Kept): number {
  return state === 'approved' ? usableUntilMs : expiresAtMs;
}

function without(code: AskedApproval['code']): AskedApproval {
  return { code, id: null, expiresAtMs: null };
}

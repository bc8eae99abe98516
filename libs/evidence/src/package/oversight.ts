import type { JsonValue, LeafEvent, PackageEvent, PackageOversight } from '@countersign/contracts';
import { isRecord, isWhole } from '../reading.js';
import { shownValue } from '../leaf/opening.js';

/** The part of an entry of `events` that is counted. */
export type OversightEntry = Pick<PackageEvent, 'event' | 'sequence' | 'opened' | 'erased'>;

/** The decision of one person. */
interface Decision {
  readonly by: string;
  readonly role: string;
  readonly isApproval: boolean;
  readonly latencyMs: number;
  readonly isShown: boolean;
}

type End = 'approved' | 'denied' | 'expired';

/** The events of one approval, of each type the one with the lowest sequence. */
interface Approval {
  readonly agentId: string;
  readonly rule: string | null;
  requested?: LeafEvent;
  decided?: OversightEntry;
  expired?: OversightEntry;
}

/** Counts decisions of one person, or about one rule. */
class Figures {
  readonly count = { approved: 0, denied: 0, expired: 0, pending: 0, shown: 0 };
  readonly times: number[] = [];

  get speed(): { readonly medianMs: number | null; readonly under3s: number } {
    const sorted = this.times.toSorted((a, b) => a - b);
    const medianMs = sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
    return { medianMs, under3s: sorted.filter((ms) => ms < FAST_MS).length };
  }
}

/** A decision that takes less time is counted apart: an action is hardly read in it. */
const FAST_MS = 3000;

/**
 * The decisions of people about the agents' actions, counted from the entries alone. What entries do not show is counted as
 * not shown; everything else is known from the leaves.
 */
export function oversightOf(entries: readonly OversightEntry[]): PackageOversight {
  const approvals = approvalsOf(entries);
  const totals = { requested: 0, earlier: 0, approved: 0, denied: 0, expired: 0, pending: 0 };
  const notShown = { withheld: 0, erased: 0 };
  const all = new Figures();
  const rules = new Map<string, Figures>();
  const people = new Map<string, Figures>();
  for (const approval of approvals) {
    const { agentId, rule, requested, decided, expired } = approval;
    const end = endOf(approval);
    totals[requested === undefined ? 'earlier' : 'requested'] += 1;
    totals[end] += 1;
    const ofRule = figuresOf(rules, [agentId, rule]);
    ofRule.count[end] += 1;
    if (requested !== undefined && decided !== undefined) {
      const ms = Math.max(0, Date.parse(decided.event.occurredAt) - Date.parse(requested.occurredAt));
      ofRule.times.push(ms);
      all.times.push(ms);
    }
    const source = decided ?? expired;
    if (source === undefined) continue;
    const decisions = decisionsOf(source);
    if (decisions === null) notShown[source.erased === true ? 'erased' : 'withheld'] += 1;
    for (const { by, role, isApproval, latencyMs, isShown } of decisions ?? []) {
      const { count, times } = figuresOf(people, [by, role]);
      count[isApproval ? 'approved' : 'denied'] += 1;
      if (isShown) count.shown += 1;
      times.push(latencyMs);
    }
  }
  return {
    totals,
    consumed: entries.filter(({ event }) => event.type === 'approval.consumed').length,
    latency: { of: all.times.length, ...all.speed },
    people: listed(people).map(
      ([
        [by, role],
        {
          count: { approved, denied, shown },
          speed,
        },
      ]) => ({
        ...{ by: by!, role: role!, approved, denied, shown },
        ...speed,
      }),
    ),
    rules: listed(rules).map(
      ([
        [agentId, rule],
        {
          count: { approved, denied, expired, pending },
          speed,
        },
      ]) => ({
        ...{ agentId: agentId!, rule: rule!, approved, denied, expired, pending },
        ...speed,
      }),
    ),
    notShown,
  };
}

/** The approvals in the order of the sequences of their first events. An event that refers to no check is of none. */
function approvalsOf(entries: readonly OversightEntry[]): Iterable<Approval> {
  const approvals = new Map<string, Approval>();
  for (const entry of entries.toSorted((a, b) => a.sequence - b.sequence)) {
    const { type, agentId, refersTo, rule, outcome } = entry.event;
    const isEnd = type === 'approval.expired' || (type === 'approval.decided' && isDecided(outcome));
    if (refersTo === null || (type !== 'approval.requested' && !isEnd)) continue;
    const key = `${agentId} ${refersTo}`;
    const approval: Approval = approvals.get(key) ?? { agentId, rule };
    approvals.set(key, approval);
    if (type === 'approval.requested') approval.requested ??= entry.event;
    else if (type === 'approval.decided') approval.decided ??= entry;
    else approval.expired ??= entry;
  }
  return approvals.values();
}

function isDecided(outcome: string | null): boolean {
  return outcome === 'approved' || outcome === 'denied';
}

/** The end of an approval; one that was given expires as well, when its time is over. */
function endOf({ decided, expired }: Approval): End | 'pending' {
  if (decided !== undefined) return decided.event.outcome === 'denied' ? 'denied' : 'approved';
  if (expired === undefined) return 'pending';
  const { outcome } = expired.event;
  return outcome === 'unused' || outcome === 'used' ? 'approved' : 'expired';
}

/**
 * The decisions that an end commits to; `null`: they are not shown, or contradict the leaf. An approval that expired without a
 * decision has none.
 */
function decisionsOf({ event, opened }: OversightEntry): readonly Decision[] | null {
  const { value, withheld } = shownValue(opened.action);
  if (withheld > 0 || !isRecord(value)) return null;
  const { type, outcome } = event;
  const wasGiven = outcome === 'unused' || outcome === 'used';
  if (type === 'approval.expired' && !wasGiven && !Object.hasOwn(value, 'by')) return [];
  const earlier = Object.hasOwn(value, 'earlier') ? value['earlier'] : [];
  if (!Array.isArray(earlier)) return null;
  const decisions = [...(earlier as JsonValue[]), value].map(decisionOf);
  if (!decisions.every((one) => one !== null)) return null;
  const contradicts = type === 'approval.decided' && decisions.at(-1)!.isApproval !== (outcome === 'approved');
  return contradicts ? null : decisions;
}

function decisionOf(value: unknown): Decision | null {
  if (!isRecord(value)) return null;
  const { by, role, decision, latencyMs, shownSha256 } = value;
  if (typeof by !== 'string' || typeof role !== 'string' || !isWhole(latencyMs, 0)) return null;
  if (decision !== 'approve' && decision !== 'deny') return null;
  return { by, role, isApproval: decision === 'approve', latencyMs, isShown: typeof shownSha256 === 'string' };
}

type Key = readonly (string | null)[];

function figuresOf(figures: Map<string, Figures>, key: Key): Figures {
  const text = JSON.stringify(key);
  const known = figures.get(text) ?? new Figures();
  figures.set(text, known);
  return known;
}

/** Ascending by the parts of their keys; `null` precedes all text. */
function listed(figures: ReadonlyMap<string, Figures>): readonly (readonly [Key, Figures])[] {
  return [...figures]
    .map(([text, each]) => [JSON.parse(text) as Key, each] as const)
    .sort(([a], [b]) => compared(a[0]!, b[0]!) || compared(a[1]!, b[1]!));
}

function compared(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}

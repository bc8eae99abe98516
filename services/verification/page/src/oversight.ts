/** Human oversight as a package states it, and as its events give it. */
export interface ShownOversight {
  readonly lines: readonly string[];
  /** `[person, role, approved, denied, median]`. */
  readonly people: readonly (readonly string[])[];
  /** `[rule, agent, approved, denied, not decided in time]`. */
  readonly rules: readonly (readonly string[])[];
}

interface Figures {
  readonly approved: number;
  readonly denied: number;
  readonly medianMs: number | null;
}

interface Oversight {
  readonly totals: Readonly<Record<'requested' | 'earlier' | 'approved' | 'denied' | 'expired' | 'pending', number>>;
  readonly consumed: number;
  readonly latency: { readonly of: number; readonly medianMs: number | null; readonly under3s: number };
  readonly people: readonly (Figures & { readonly by: string; readonly role: string })[];
  readonly rules: readonly (Figures & {
    readonly agentId: string;
    readonly rule: string | null;
    readonly expired: number;
  })[];
  readonly notShown: { readonly withheld: number; readonly erased: number };
}

/** Rows of a table; more of them say no more. */
const SHOWN_ROWS = 50;

/**
 * The figures of a package that was verified; `null`: it states none, or nothing waited for an approval.
 * @param value a package whose form and figures hold
 */
export function oversightIn(value: unknown): ShownOversight | null {
  const stated = (value as { readonly oversight?: Oversight }).oversight;
  if (stated === undefined) return null;
  const { totals, consumed, latency, people, rules, notShown } = stated;
  if (totals.requested + totals.earlier + consumed === 0) return null;
  const median = latency.medianMs === null ? '' : `, half of them within ${seconds(latency.medianMs)}`;
  const hidden = notShown.withheld + notShown.erased;
  return {
    lines: [
      `${totals.requested} approvals requested, and ${totals.earlier} from before the first event of the file`,
      `${totals.approved} approved, ${totals.denied} denied, ${totals.expired} not decided in time, ${totals.pending} open at the end; ${consumed} used`,
      `${latency.of} decisions with a known time${median}; ${latency.under3s} in less than three seconds`,
      ...(hidden === 0
        ? []
        : [`of ${hidden} approvals the person is not shown: ${notShown.withheld} withheld, ${notShown.erased} erased`]),
    ],
    people: people
      .slice(0, SHOWN_ROWS)
      .map(({ by, role, approved, denied, medianMs }) => [by, role, `${approved}`, `${denied}`, secondsOr(medianMs)]),
    rules: rules
      .slice(0, SHOWN_ROWS)
      .map(({ rule, agentId, approved, denied, expired }) => [
        rule ?? '–',
        agentId,
        `${approved}`,
        `${denied}`,
        `${expired}`,
      ]),
  };
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const secondsOr = (ms: number | null): string => (ms === null ? '–' : seconds(ms));

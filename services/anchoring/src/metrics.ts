import { Counter, Gauge, type Registry } from 'prom-client';
import type { Waiting } from './store/port.js';
import type { Equivocation } from './watch-authority/judge-memo.js';

export type AnchorFailure = 'chain' | 'damaged' | 'equivocation';

export interface AnchoringMetrics {
  readonly failed: (kind: AnchorFailure) => void;
  readonly waiting: (waiting: Waiting) => void;
  readonly equivocated: (kind: Equivocation) => void;
}

/** What operators watch; an alarm belongs on `damaged`, `equivocation` and the equivocations, which must stay at 0. */
export function anchoringMetrics(registry: Registry, clock: () => number, leads: () => boolean): AnchoringMetrics {
  new Gauge({
    name: 'countersign_anchoring_leads',
    help: '1 where this instance anchors, 0 where it stands by; the sum over all instances must be 1',
    registers: [registry],
    collect() {
      this.set(leads() ? 1 : 0);
    },
  });
  const failures = new Counter({
    name: 'countersign_anchor_failures_total',
    help: 'Anchors that could not be made: chain out of reach, stored leaves damaged, or a transaction that says something else',
    labelNames: ['kind'] as const,
    registers: [registry],
  });
  for (const kind of ['chain', 'damaged', 'equivocation'] as const) failures.inc({ kind }, 0);
  const equivocations = new Counter({
    name: 'countersign_equivocations_total',
    help: 'Transactions signed with our authority that say another root of a window, or tell of a window we do not have',
    labelNames: ['kind'] as const,
    registers: [registry],
  });
  for (const kind of ['other-root', 'unknown-window'] as const) equivocations.inc({ kind }, 0);
  const windows = new Gauge({
    name: 'countersign_anchor_windows_waiting',
    help: 'Windows that are cut and not anchored',
    registers: [registry],
  });
  let lastEndMs: number | null = null;
  new Gauge({
    name: 'countersign_anchor_last_window_age_seconds',
    help: 'Time since the end of the last anchored window',
    registers: [registry],
    collect() {
      if (lastEndMs !== null) this.set(Math.max(0, (clock() - lastEndMs) / 1000));
    },
  });
  return {
    failed: (kind) => failures.inc({ kind }),
    equivocated: (kind) => equivocations.inc({ kind }),
    waiting: (waiting) => {
      windows.set(waiting.windows);
      lastEndMs = waiting.lastAnchoredEndMs;
    },
  };
}

import { Counter, Gauge, type Registry } from 'prom-client';
import type { Waiting } from './store/port.js';
import type { Equivocation } from './watch-authority/judge-memo.js';

export type AnchorFailure = 'chain' | 'damaged' | 'equivocation';

export interface AnchoringMetrics {
  readonly failed: (kind: AnchorFailure) => void;
  readonly waiting: (waiting: Waiting) => void;
  /** Balance of the authority. */
  readonly funded: (lamports: number) => void;
  /** The shortest cadence of the accounts that have windows, s; `null`: there are none yet. */
  readonly cadence: (shortestSeconds: number | null) => void;
  readonly equivocated: (kind: Equivocation) => void;
  readonly chainReached: (answers: boolean) => void;
}

/**
 * Metrics for operators. The instance that anchors alone reports windows: a standby does not know their state. An alarm belongs
 * on `damaged`, `equivocation` and the equivocations, which must stay at 0.
 */
export function anchoringMetrics(
  registry: Registry,
  clock: () => number,
  leads: () => boolean,
  aheadSeconds: () => number = () => 0,
): AnchoringMetrics {
  new Gauge({
    name: 'countersign_clock_ahead_seconds',
    help: "How far the newest event lies ahead of this machine's clock, or that clock ahead of the chain's; some seconds at most",
    registers: [registry],
    collect() {
      this.set(aheadSeconds());
    },
  });
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
  const chain = new Gauge({
    name: 'countersign_anchoring_chain_reachable',
    help: '1 where a node of the chain answered this instance last, 0 where none does',
    registers: [registry],
  });
  let known: Waiting | null = null;
  const ofLeader = (name: string, help: string, value: (waiting: Waiting) => number | null): void => {
    new Gauge({
      name,
      help: `${help}; reported by the instance that anchors`,
      registers: [registry],
      collect() {
        const now = known === null || !leads() ? null : value(known);
        if (now === null) this.remove();
        else this.set(now);
      },
    });
  };
  ofLeader('countersign_anchor_windows_waiting', 'Windows that are cut and not anchored', ({ windows }) => windows);
  ofLeader(
    'countersign_anchor_last_window_age_seconds',
    'Time since the end of the last anchored window',
    ({ lastAnchoredEndMs: endMs }) => (endMs === null ? null : Math.max(0, (clock() - endMs) / 1000)),
  );
  let lamports: number | null = null;
  let shortest: number | null = null;
  ofLeader(
    'countersign_authority_lamports',
    'Balance of the anchoring authority; a transaction costs 5,000',
    () => lamports,
  );
  ofLeader(
    'countersign_anchor_shortest_cadence_seconds',
    'Shortest length of the windows that are cut',
    () => shortest,
  );
  return {
    funded: (balance) => {
      lamports = balance;
    },
    cadence: (seconds) => {
      shortest = seconds;
    },
    failed: (kind) => failures.inc({ kind }),
    equivocated: (kind) => equivocations.inc({ kind }),
    chainReached: (answers) => chain.set(answers ? 1 : 0),
    waiting: (waiting) => {
      known = waiting;
    },
  };
}

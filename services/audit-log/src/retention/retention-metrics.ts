import { Counter, Gauge, type Registry } from 'prom-client';

export interface RetentionMetrics {
  /** So many contents were recorded as taken. */
  readonly took: (contents: number) => void;
  /** An agent's content could not be taken; those after it were gone on with. */
  readonly failed: () => void;
  /** How a turn of this instance ended; nothing of both where the turn was another's. */
  readonly turned: (turn: { readonly more: boolean; readonly doubted: boolean }) => void;
}

/** Metrics for operators: content that stays longer than was promised shows nowhere else. */
export function retentionMetrics(registry: Registry): RetentionMetrics {
  const contents = new Counter({
    name: 'countersign_retention_contents_total',
    help: 'Contents of checks and outcomes that were taken by their age',
    registers: [registry],
  });
  const failures = new Counter({
    name: 'countersign_retention_failures_total',
    help: 'Times that content of an agent could not be taken: legal holds of its account are missing, or the process was stopped in between',
    registers: [registry],
  });
  const behind = new Gauge({
    name: 'countersign_retention_behind',
    help: '1 where the last turn took as much as a turn may: more may be due',
    registers: [registry],
  });
  const doubted = new Gauge({
    name: 'countersign_retention_clock_doubted',
    help: '1 while the clock is ahead of what retention knows: nothing is taken that only this clock makes old',
    registers: [registry],
  });
  return {
    took: (count) => contents.inc(count),
    failed: () => failures.inc(),
    turned: (turn) => {
      behind.set(turn.more ? 1 : 0);
      doubted.set(turn.doubted ? 1 : 0);
    },
  };
}

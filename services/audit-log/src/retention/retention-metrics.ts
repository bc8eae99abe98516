import { Counter, Gauge, type Registry } from 'prom-client';

export interface RetentionMetrics {
  /** So many contents were recorded as taken. */
  readonly took: (contents: number) => void;
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
    turned: (turn) => {
      behind.set(turn.more ? 1 : 0);
      doubted.set(turn.doubted ? 1 : 0);
    },
  };
}

import { STREAM_KINDS } from '@countersign/contracts';
import { Counter, Gauge, type Registry } from 'prom-client';

export interface StreamLag {
  readonly kind: string;
  readonly events: number;
  readonly seconds: number;
}

/** Metrics of the streams that this instance delivers. */
export class StreamMetrics {
  readonly #attempts: Counter<'kind' | 'outcome'>;
  readonly #events: Counter<'kind'>;

  constructor(registry: Registry, lags: () => Iterable<StreamLag>) {
    const registers = [registry];
    this.#attempts = new Counter({
      name: 'countersign_stream_attempts_total',
      help: 'Attempts to deliver a batch of a stream',
      labelNames: ['kind', 'outcome'],
      registers,
    });
    this.#events = new Counter({
      name: 'countersign_stream_events_total',
      help: 'Events that receivers of streams have accepted',
      labelNames: ['kind'],
      registers,
    });
    new Gauge({
      name: 'countersign_stream_lag_events',
      help: 'Events that streams have not taken yet',
      labelNames: ['kind'],
      registers,
      collect() {
        for (const kind of STREAM_KINDS) this.set({ kind }, 0);
        for (const { kind, events } of lags()) this.inc({ kind }, events);
      },
    });
    new Gauge({
      name: 'countersign_stream_lag_seconds',
      help: 'How long events have been waiting for the stream that is furthest behind',
      labelNames: ['kind'],
      registers,
      collect() {
        const longest = new Map<string, number>(STREAM_KINDS.map((kind) => [kind, 0]));
        for (const { kind, seconds } of lags()) longest.set(kind, Math.max(seconds, longest.get(kind) ?? 0));
        for (const [kind, seconds] of longest) this.set({ kind }, seconds);
      },
    });
  }

  attempted(kind: string, isDelivered: boolean, events: number): void {
    this.#attempts.inc({ kind, outcome: isDelivered ? 'delivered' : 'failed' });
    if (isDelivered) this.#events.inc({ kind }, events);
  }
}

import type { EventEnvelope } from '@countersign/contracts';
import type { EventStore } from '../store/port.js';

/** Stores envelopes as the next ones of partition 0 of an empty store, which may be another object once reopened. */
export function appenderTo(store: () => EventStore): (...envelopes: EventEnvelope[]) => Promise<void> {
  let next = 0;
  return async (...envelopes) => {
    const events = envelopes.map((one, n) => ({ offset: next + n, envelope: one }));
    const range = { topic: 'agent-events', partition: 0, from: next, next: next + envelopes.length } as const;
    await store().append(events, range);
    next += envelopes.length;
  };
}

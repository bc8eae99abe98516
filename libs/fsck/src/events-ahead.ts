import { EVENT_AHEAD_MS } from '@countersign/contracts';
import type { NumberedLeaf } from './number-leaves.js';
import type { Check } from './report.js';

const NAMED = 5;

/** Names the events that lie ahead of this machine's clock: sound ones, which a clock that was ahead has dated. */
export class EventsAhead {
  #count = 0;

  constructor(
    private readonly check: Check,
    private readonly nowMs = Date.now(),
  ) {}

  take({ envelope: { leaf }, sequence }: NumberedLeaf): void {
    const ahead = Date.parse(leaf.occurredAt) - this.nowMs;
    if (ahead <= EVENT_AHEAD_MS) return;
    this.#count += 1;
    if (this.#count > NAMED) return;
    this.check.note(
      `event ${leaf.eventId} (agent ${leaf.agentId}, sequence ${sequence}) says ${leaf.occurredAt}, ${Math.round(ahead / 1000)} s ahead of this clock`,
    );
  }

  finish(): void {
    if (this.#count > NAMED) this.check.note(`and ${this.#count - NAMED} more events ahead of this clock`);
  }
}

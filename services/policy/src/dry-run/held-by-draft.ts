import type { ArchivedEvent, HeldAmount } from '@countersign/contracts';
import type { SimulatedAgent, Verdict } from '../simulate/simulated-agent.js';

/** Time after its check in which an outcome gives back, ms (audit-log, `report-outcome/`). */
const GIVES_BACK_MS = 24 * 60 * 60 * 1000;

interface Held {
  readonly atMs: number;
  readonly amounts: readonly HeldAmount[];
}

/** Amounts that checks held by limits of the draft, until an outcome says that the action was skipped. */
export class HeldByDraft {
  readonly #held = new Map<string, Held>();

  constructor(private readonly agent: SimulatedAgent) {}

  /** Keeps what a check held that was judged by the draft. What observe mode let pass stays counted. */
  add({ envelope: { leaf } }: ArchivedEvent, { allowed, violation, ruleCounts, order = 0 }: Verdict): void {
    const atMs = Date.parse(leaf.occurredAt);
    const counted = allowed && violation === null ? (ruleCounts?.limits ?? []) : [];
    const amounts = counted.filter(({ reserve }) => reserve).map(({ key, amount }) => ({ key, order, atMs, amount }));
    this.#held.set(leaf.eventId, { atMs, amounts });
  }

  /** Gives back what the check of an outcome held by the draft, or as it was recorded where the draft did not judge it. */
  giveBack({ envelope: { leaf, givesBackHeld = [] } }: ArchivedEvent): void {
    if (leaf.refersTo === null) return;
    const held = this.#held.get(leaf.refersTo);
    if (held === undefined) return this.agent.giveBackHeld(givesBackHeld);
    // Its answer may not have arrived: it stays counted.
    if (leaf.type === 'action.unanswered') this.#held.set(leaf.refersTo, { ...held, amounts: [] });
    if (leaf.type !== 'action.outcome' || leaf.outcome !== 'skipped') return;
    if (Date.parse(leaf.occurredAt) - held.atMs < GIVES_BACK_MS) this.agent.giveBackHeld(held.amounts);
  }
}

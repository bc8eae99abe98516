import { Controller, Inject } from '@nestjs/common';
import { oneEventRoutes } from '@countersign/contracts';
import type { ArchivedEvent, EventDetail, EventWithProof, ProofSource } from '@countersign/contracts';
import { unanchored } from '@countersign/evidence';
import { HttpRefusal } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { eventDetail } from '../domain/event-detail.js';
import { shownTo } from '../domain/event-record.js';
import type { EventStore } from '../store/port.js';
import { CLOCK, PROOFS, STORE } from '../tokens.js';

/** One event of the account: what the archive knows of it, and its proof, which anchoring builds. */
@Controller()
export class OneEventController {
  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(PROOFS) private readonly proofs: () => ProofSource | null,
    @Inject(CLOCK) private readonly clock: () => number,
  ) {}

  @HttpRoute(oneEventRoutes.getEvent)
  async get(@Input() input: RouteInput): Promise<EventDetail> {
    const event = await this.#find(input);
    const { agentId, eventId } = event.envelope.leaf;
    const [referring, window] = await Promise.all([
      this.store.referring([eventId]),
      this.store.anchorOf(agentId, event.sequence),
    ]);
    const shown = { ...event, envelope: shownTo(input.caller.role, event.envelope) };
    return eventDetail(shown, referring, window, this.clock());
  }

  @HttpRoute(oneEventRoutes.getEventProof)
  async proof(@Input() input: RouteInput): Promise<EventWithProof> {
    const { sequence, envelope } = await this.#find(input);
    const { leaf: event } = envelope;
    if ((await this.store.anchorOf(event.agentId, sequence)) === null) {
      return { event, proof: unanchored(event.eventId) };
    }
    const proofs = this.proofs();
    if (proofs === null) throw new HttpRefusal(503, 'anchoring cannot be reached at the moment: try again');
    const proof = await proofs.proof(event.agentId, sequence, event.eventId);
    return { event, proof: proof ?? unanchored(event.eventId) };
  }

  /** @throws HttpRefusal 404 also for an event of another account */
  async #find({ params, caller }: RouteInput): Promise<ArchivedEvent> {
    const event = await this.store.findArchived(caller.accountId, params['eventId']!.toLowerCase());
    if (event === null) throw new HttpRefusal(404, 'no such event');
    return event;
  }
}

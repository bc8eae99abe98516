import { randomBytes } from 'node:crypto';
import type { AgentFacts, AgentHeadFacts, ArchivedEvent, EventArchive } from '@countersign/contracts';
import { plainEnvelope, plainLeaf, uuidV7 } from '@countersign/evidence';
import type { ServiceContext } from '@countersign/service-kit';
import { versionedRecord } from '@countersign/topics';

/** Stands in for the archive: events of agents, with their records in `agents` and `agent-heads`. */
export class ArchivedEvents implements Pick<EventArchive, 'range' | 'span'> {
  readonly #events = new Map<string, ArchivedEvent[]>();
  /** How often it was asked. */
  reads = 0;

  /** Archives allowed checks of an agent; the head is published with {@link publish}. */
  add(accountId: string, agentId: string, count: number, occurredAtMs = Date.now()): readonly string[] {
    const events = this.#events.get(agentId) ?? [];
    this.#events.set(agentId, events);
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const eventId = uuidV7(occurredAtMs, randomBytes(10));
      const leaf = plainLeaf({
        type: 'action.checked',
        eventId,
        refersTo: null,
        agentId,
        occurredAt: new Date(occurredAtMs).toISOString(),
        outcome: n % 3 === 0 ? 'denied' : 'allowed',
        allowed: n % 3 !== 0,
      });
      const action = { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value: { type: 'http_call', n } };
      const envelope = plainEnvelope(leaf, { accountId, cadenceSeconds: 1, apiKeyId: null, openings: { action } });
      events.push({ sequence: events.length + 1, envelope, erased: false });
      ids.push(eventId);
    }
    return ids;
  }

  /** Publishes the agent and its head, as policy and audit-log do. */
  async publish({ eventLog }: Pick<ServiceContext, 'eventLog'>, agentId: string): Promise<void> {
    const events = this.#events.get(agentId)!;
    const { accountId } = events[0]!.envelope;
    const head: AgentHeadFacts = { lastSequence: events.length, checks: events.length };
    await eventLog.append([
      versionedRecord<Pick<AgentFacts, 'accountId'>>('agents', agentId, 1, { accountId }),
      versionedRecord<AgentHeadFacts>('agent-heads', agentId, events.length, head),
    ]);
  }

  async range(agentId: string, first: number, last: number, limit: number): Promise<readonly ArchivedEvent[]> {
    this.reads += 1;
    return (this.#events.get(agentId) ?? []).slice(first - 1, Math.min(last, first - 1 + limit));
  }

  async span(agentId: string, from: string): Promise<{ readonly first: number; readonly last: number } | null> {
    const events = this.#events.get(agentId) ?? [];
    const first = events.findIndex(({ envelope }) => envelope.leaf.occurredAt >= from);
    return first === -1 ? null : { first: first + 1, last: events.length };
  }
}

import type { Asked } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import { EVER } from './scratch.js';
import { listEvents, type Session } from '../torture/recorded.js';

/** An entry of `GET /v1/agents/{id}/anchors`. */
export interface Anchor {
  readonly merkle_root: string;
  readonly chain_tx_signature: string;
  readonly event_ids: readonly string[];
  readonly window_start: string;
  readonly window_end: string;
}

/** Every anchor of an agent, by default the first one, oldest first. */
export async function listAnchors(
  instance: Asked,
  session: Session,
  agentId = instance.bootstrap.agentId,
): Promise<readonly Anchor[]> {
  const listed: Anchor[] = [];
  for (;;) {
    const path = `/v1/agents/${agentId}/anchors?limit=100&offset=${listed.length}`;
    const { json } = await instance.request('GET', path, { headers: session });
    const { anchors, total } = json as { anchors: Anchor[]; total: number };
    listed.push(...anchors);
    if (anchors.length === 0 || listed.length >= total) return listed.reverse();
  }
}

/** Resolves when every event is anchored. */
export async function allAnchored(instance: Asked, session: Session, seconds: number): Promise<void> {
  await eventually('every event is anchored', seconds, async () => {
    // A store under fault injection may not answer: the next poll counts.
    const events = await listEvents(instance, session, EVER).catch(() => []);
    return events.length > 0 && events.every((event) => event.anchored) ? true : null;
  });
}

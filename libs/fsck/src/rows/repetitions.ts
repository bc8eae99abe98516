import { LAYOUT } from '../layout.js';
import type { LeafNumbers, LoggedId } from '../number-leaves.js';
import type { ServiceStores } from '../open-stores.js';
import type { Check } from '../report.js';
import { compareSeen } from './seen-ids.js';

/** The event ids that anchoring, policy and alerts know again, against those of the log. Embedded profile. */
export async function checkRepetitions(
  { anchors, policy, alerts }: ServiceStores,
  logged: Pick<LeafNumbers, 'ids' | 'has'>,
  newestMs: number,
  isWhole: boolean,
  check: Check,
): Promise<void> {
  if (anchors?.seenIds !== undefined) {
    const next = (await anchors.positions('agent-events')).get(0) ?? 0;
    const ids = anchors.seenIds();
    const holds = ({ place }: LoggedId): boolean => place < next;
    await compareSeen(logged.ids(), { place: `${LAYOUT.anchors} seen`, ids, holds }, newestMs, isWhole, check);
  }
  if (policy !== null) {
    const next = (await policy.positions('agent-events')).get(0) ?? 0;
    const ids = bytesOf(policy.seenEvents());
    const holds = ({ place, counts }: LoggedId): boolean => counts && place < next;
    await compareSeen(logged.ids(), { place: `${LAYOUT.policy} seen_events`, ids, holds }, newestMs, isWhole, check);
  }
  if (alerts === null || !isWhole) return;
  // Only violations with a destination are stored, and the destinations of that time are not known.
  for await (const id of alerts.seenEvents()) {
    check.examined += 1;
    if (!logged.has(bytesOfId(id)))
      check.wrong(`${LAYOUT.alerts} seen_events ${id}`, 'no event of the log has this id');
  }
}

async function* bytesOf(ids: AsyncIterable<string>): AsyncIterable<Buffer> {
  for await (const id of ids) yield bytesOfId(id);
}

function bytesOfId(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

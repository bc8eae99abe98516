import type { LogRecord } from '@countersign/event-log';
import { LAYOUT } from '../layout.js';
import type { LeafNumbers, LoggedId } from '../number-leaves.js';
import type { ServiceStores, Store } from '../open-stores.js';
import type { Check } from '../report.js';
import { positionsOf } from './positions.js';
import { compareSeen } from './seen-ids.js';

/** When the log took its records: the newest of all, and the last one that policy has taken. */
export class LogTimes {
  newestMs = 0;
  readonly #check: Check;
  readonly #policy: { readonly next: number; readonly at: number } | null;

  /** @param policy store of the embedded profile, which notes the time with its position; `null`: none does */
  constructor(policy: Store | null, check: Check) {
    this.#check = check;
    this.#policy =
      policy
        ?.prepare<[], { next: number; at: number }>('SELECT next, log_time_ms AS at FROM positions WHERE partition = 0')
        .get() ?? null;
  }

  take({ offset, appendedAtMs }: LogRecord): void {
    this.newestMs = Math.max(this.newestMs, appendedAtMs);
    if (this.#policy !== null && offset === this.#policy.next - 1 && appendedAtMs !== this.#policy.at)
      this.#check.wrong(`${LAYOUT.policy} positions`, `its time is not the one of offset ${offset}`);
  }
}

/** The event ids that anchoring, policy and alerts know again, against those of the log. Embedded profile. */
export async function checkRepetitions(
  { anchors, policy, alerts }: ServiceStores,
  logged: Pick<LeafNumbers, 'ids' | 'has'>,
  newestMs: number,
  isWhole: boolean,
  check: Check,
): Promise<void> {
  const reached = (store: Store): number => positionsOf(store, 'agent-events').get(0) ?? 0;
  if (anchors?.seenIds !== undefined) {
    const next = (await anchors.positions('agent-events')).get(0) ?? 0;
    const ids = anchors.seenIds();
    const holds = ({ place }: LoggedId): boolean => place < next;
    await compareSeen(logged.ids(), { place: `${LAYOUT.anchors} seen`, ids, holds }, newestMs, isWhole, check);
  }
  if (policy !== null) {
    const next = reached(policy);
    const ids = policy
      .prepare<[], Buffer>('SELECT id FROM seen_events WHERE partition = 0 ORDER BY id')
      .pluck()
      .iterate();
    const holds = ({ place, counts }: LoggedId): boolean => counts && place < next;
    await compareSeen(logged.ids(), { place: `${LAYOUT.policy} seen_events`, ids, holds }, newestMs, isWhole, check);
  }
  if (alerts === null || !isWhole) return;
  // Only violations with a destination are stored, and the destinations of that time are not known.
  for await (const id of alerts.seenEvents()) {
    check.examined += 1;
    if (!logged.has(Buffer.from(id.replaceAll('-', ''), 'hex')))
      check.wrong(`${LAYOUT.alerts} seen_events ${id}`, 'no event of the log has this id');
  }
}

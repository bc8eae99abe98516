import type { ArchivedEvent, EventArchive } from '@countersign/contracts';
import { TimeSlice } from '@countersign/async';

/** Small, because payloads may be long. */
const PAGE = 100;

/**
 * The contiguous run of an agent's events from the first to the last whose time lies in `[from, to)`, in sequence order.
 * Yields to other work of the thread every few milliseconds.
 * @param span the run, where the caller knows it
 * @throws Error where the archive has a hole; what the archive rejects with
 */
export async function* archivedEvents(
  archive: Pick<EventArchive, 'span' | 'range'>,
  agentId: string,
  from: string,
  to: string,
  span?: { readonly first: number; readonly last: number },
): AsyncGenerator<ArchivedEvent, void, undefined> {
  const { first, last } = span ?? (await archive.span(agentId, from, to)) ?? { first: 1, last: 0 };
  const slice = new TimeSlice();
  for (let next = first; next <= last;) {
    const page = await archive.range(agentId, next, last, PAGE);
    if (page.length === 0) throw new Error(`the archive lacks sequence ${next} of agent ${agentId}`);
    for (const event of page) {
      if (event.sequence !== next) throw new Error(`the archive lacks sequence ${next} of agent ${agentId}`);
      if (slice.over) await slice.next();
      yield event;
      next += 1;
    }
  }
}

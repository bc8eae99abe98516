import type { EventArchive } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { countEvents, fittingRange } from '../issue-report/fitting-range.js';

/**
 * End (ISO) of the package that begins a series' range: the latest with at most `maxEvents` events, and such that no
 * number of an agent lies between it and what follows up to `to`. Numbers can: an event between two others may have a
 * time outside of the whole range, where a clock was wrong. The package then ends before the event in front of it, so
 * that the next package surrounds it.
 * @throws HttpRefusal 400 where there is no such end
 */
export async function seriesEnd(
  archive: EventArchive,
  agentIds: readonly string[],
  from: string,
  to: string,
  maxEvents: number,
): Promise<string> {
  if ((await countEvents(archive, agentIds, from, to)) <= maxEvents) return to;
  let end = await fittingRange(archive, agentIds, from, to, maxEvents);
  while (end !== null && end > from) {
    const earlier = await beforeGap(archive, agentIds, from, end, to);
    if (earlier === null) return end;
    end = earlier;
  }
  throw new HttpRefusal(400, `no package can begin at ${from}: too many events have that time; name fewer agents`);
}

/** An earlier end, where a number lies between the events up to `end` and those after it; `null`: none does. */
async function beforeGap(
  archive: EventArchive,
  agentIds: readonly string[],
  from: string,
  end: string,
  to: string,
): Promise<string | null> {
  for (const agentId of agentIds) {
    const run = await archive.span(agentId, from, end);
    const next = run === null ? null : await archive.span(agentId, end, to);
    if (run === null || next === null || next.first <= run.last + 1) continue;
    const [last] = await archive.range(agentId, run.last, run.last, 1);
    if (last === undefined) throw new Error(`the archive lacks sequence ${run.last} of agent ${agentId}`);
    return last.envelope.leaf.occurredAt;
  }
  return null;
}

import type { EventArchive } from '@countersign/contracts';

/**
 * The latest end (ISO, to the millisecond) for which the range from `from` holds at most `maxEvents` events of these
 * agents; `null` if even the first millisecond has more.
 */
export async function fittingRange(
  archive: Pick<EventArchive, 'span'>,
  agentIds: readonly string[],
  from: string,
  to: string,
  maxEvents: number,
): Promise<string | null> {
  const start = Date.parse(from);
  let fits = start;
  let tooMany = Date.parse(to);
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if ((await countEvents(archive, agentIds, from, new Date(middle).toISOString())) <= maxEvents) fits = middle;
    else tooMany = middle;
  }
  return fits === start ? null : new Date(fits).toISOString();
}

/** How many events of these agents a package of the range would hold. */
export async function countEvents(
  archive: Pick<EventArchive, 'span'>,
  agentIds: readonly string[],
  from: string,
  to: string,
): Promise<number> {
  let count = 0;
  for (const agentId of agentIds) {
    const span = await archive.span(agentId, from, to);
    if (span !== null) count += span.last - span.first + 1;
  }
  return count;
}

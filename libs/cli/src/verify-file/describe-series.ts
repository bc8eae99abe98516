/** Facts of a series for the reader, one line each, as far as they are present. None of them is verified. */
export function describeSeries(value: unknown): string[] {
  const { seriesId, range, totals, agents, timestamp, changes } = membersOf(value);
  const lines: string[] = [];
  if (typeof seriesId === 'string') lines.push(`series ${seriesId}`);
  const { from, to } = membersOf(range);
  lines.push(`events from ${textOf(from)} to ${textOf(to)}`);
  const { packages, events, allowed, denied, gap, outside } = membersOf(totals);
  lines.push(
    `${textOf(packages)} packages, ${Array.isArray(agents) ? agents.length : '?'} agents, ${textOf(events)} events: ${textOf(allowed)} allowed, ${textOf(denied)} denied, ${textOf(gap)} to review`,
  );
  if (typeof outside === 'number' && outside > 0)
    lines.push(
      `${outside} events between others that lie outside of the range of their package, by clocks that differ`,
    );
  lines.push(...describeChanges(Array.isArray(changes) ? changes : []));
  const { issued_at: issuedAt, anchor } = membersOf(timestamp);
  lines.push(`issued at ${textOf(issuedAt)}, anchor ${textOf(anchor)}`);
  return lines;
}

const SHOWN_CHANGES = 10;
/** Changes of the set of agents and of the scope come first: they leave something out of the packages from there on. */
const FIRST = ['agents', 'scope'];

/** The first changes, a line each, and the number of the others by member. */
function describeChanges(changes: readonly unknown[]): string[] {
  const all = changes.map((change) => {
    const { reportId, member } = membersOf(change);
    return { reportId: textOf(reportId), member: textOf(member) };
  });
  const sorted = [...FIRST, null].flatMap((first) =>
    all.filter(({ member }) => (first === null ? !FIRST.includes(member) : member === first)),
  );
  const lines = sorted
    .slice(0, SHOWN_CHANGES)
    .map(({ member, reportId }) => `${member} changed with report ${reportId}`);
  const others = new Map<string, number>();
  for (const { member } of sorted.slice(SHOWN_CHANGES)) others.set(member, (others.get(member) ?? 0) + 1);
  if (others.size === 0) return lines;
  const counts = [...others].map(([member, count]) => `${member} ${count}`).join(', ');
  return [...lines, `and ${sorted.length - SHOWN_CHANGES} more changes: ${counts}`];
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : '?';
}

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
  for (const change of Array.isArray(changes) ? changes.slice(0, SHOWN_CHANGES) : []) {
    const { reportId, member } = membersOf(change);
    lines.push(`${textOf(member)} changed with report ${textOf(reportId)}`);
  }
  const { issued_at: issuedAt, anchor } = membersOf(timestamp);
  lines.push(`issued at ${textOf(issuedAt)}, anchor ${textOf(anchor)}`);
  return lines;
}

const SHOWN_CHANGES = 10;

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : '?';
}

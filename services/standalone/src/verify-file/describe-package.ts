/** Facts of a package for the reader, one line each, as far as they are there. Nothing of it was verified. */
export function describePackage(value: unknown): string[] {
  const { reportId, range, summary, timestamp } = membersOf(value);
  const lines: string[] = [];
  if (typeof reportId === 'string') lines.push(`report ${reportId}`);
  if (range !== undefined) {
    const { from, to } = membersOf(range);
    lines.push(`events from ${word(from)} to ${word(to)}`);
  }
  if (summary !== undefined) {
    const { events, allowed, denied, gap } = membersOf(summary);
    lines.push(`${word(events)} events: ${word(allowed)} allowed, ${word(denied)} denied, ${word(gap)} to review`);
  }
  if (timestamp !== undefined) {
    const { issued_at: issuedAt, anchor } = membersOf(timestamp);
    lines.push(`issued at ${word(issuedAt)}, anchor ${word(anchor)}`);
  }
  return lines;
}

const LONGEST_LINE = 400;

/** Text that a file may have had a hand in, as one line that a terminal shows and never obeys. */
export function oneLine(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
  return plain.length > LONGEST_LINE ? `${plain.slice(0, LONGEST_LINE)}…` : plain;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function word(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : '?';
}

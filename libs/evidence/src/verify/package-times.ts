import type { SignedPackage } from '@countersign/contracts';
import { secondsBetween } from './chain-check.js';
import { counted, type Findings } from './findings.js';
import type { CheckedEntry, VerdictCache } from './package-entries.js';
import type { WindowTime } from './result.js';
import { CLOCK_TOLERANCE_SECONDS, LATE_SECONDS } from './time-bounds.js';

/**
 * Compares the chain's times with the package's: a root shows that its events existed by its block time and not before,
 * so what was anchored late, and what is dated outside of its window, is unsettled.
 */
export function checkTimes(
  pkg: SignedPackage,
  entries: readonly CheckedEntry[],
  cache: VerdictCache,
  findings: Findings,
): readonly WindowTime[] {
  const times = new Map<string, WindowTime>();
  for (const window of pkg.windows) {
    const { windowStart, windowEnd, txSignature } = window;
    const { check, blockTime } = cache.anchor({ ...window, agents: window.treeSize });
    if (!check.onChain) continue;
    const secondsAfterEnd = blockTime === null ? null : secondsBetween(windowEnd, blockTime);
    times.set(labelOf(window), { windowStart, windowEnd, txSignature, anchoredAt: blockTime, secondsAfterEnd });
  }
  reportWindows([...times.values()], findings);
  reportEvents(entries, times, findings);
  return [...times.values()];
}

/** A window with its transaction. */
interface Label {
  readonly txSignature: string;
  readonly windowStart: string;
  readonly windowEnd: string;
}

function labelOf({ txSignature, windowStart, windowEnd }: Label): string {
  return `${txSignature} ${windowStart} ${windowEnd}`;
}

function durationOf({ windowStart, windowEnd }: Label): number {
  return secondsBetween(windowStart, windowEnd);
}

function reportWindows(times: readonly WindowTime[], findings: Findings): void {
  const known = times.filter((time) => time.secondsAfterEnd !== null);
  const late = known.filter((time) => time.secondsAfterEnd! > LATE_SECONDS + durationOf(time));
  const latest = known.reduce((most, { secondsAfterEnd }) => Math.max(most, secondsAfterEnd!), 0);
  if (late.length > 0) {
    const [first] = late;
    const example = `the window of ${first!.windowStart} at ${first!.anchoredAt!}`;
    findings.leaveOpen(
      'window-late',
      `that ${counted(late.length, 'window')} existed when it ended: anchored more than an hour and its duration later, such as ${example}`,
    );
  } else if (known.length > 0) {
    findings.checked.push(
      `the block times of ${counted(known.length, 'window')}: anchored at most ${latest} s after its end`,
    );
  }
  if (known.length < times.length) {
    const message = `when ${counted(times.length - known.length, 'window')} was anchored: the node keeps no block time`;
    findings.leaveOpen('time-unknown', message);
  }
}

function reportEvents(
  entries: readonly CheckedEntry[],
  times: ReadonlyMap<string, WindowTime>,
  findings: Findings,
): void {
  const late: string[] = [];
  const ahead: string[] = [];
  for (const { leaf, index, proof } of entries) {
    if (proof === null || !proof.anchored) continue;
    const at = times.get(labelOf(proof))?.anchoredAt ?? null;
    if (at === null) continue;
    const age = secondsBetween(leaf.occurredAt, at);
    const text = `events[${index}] of ${leaf.occurredAt}, anchored at ${at}`;
    if (age < -CLOCK_TOLERANCE_SECONDS) ahead.push(text);
    else if (age > LATE_SECONDS + 2 * durationOf(proof)) late.push(text);
  }
  if (late.length > 0) {
    const message = `that ${counted(late.length, 'event')} happened when it says: anchored more than an hour and two durations later, such as ${late[0]!}`;
    findings.leaveOpen('event-late', message);
  }
  if (ahead.length > 0) {
    const message = `that ${counted(ahead.length, 'event')} happened when it says: dated after its own block time, such as ${ahead[0]!}`;
    findings.leaveOpen('event-ahead', message);
  }
}

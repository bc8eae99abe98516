import type { FollowedUpCheck, FollowUpRecord } from '@countersign/contracts';
import { visible } from '../approvals/visible.js';

/** A line for each follow-up: the check, when, by whom, and the note. @param total also those that are not listed */
export function followUpsText(followUps: readonly FollowUpRecord[], total: number): string {
  const lines = followUps.map((one) => `${one.eventId}  ${noteOf(one)}`);
  if (total === 0) lines.push('no follow-ups');
  if (total > followUps.length) lines.push(`and ${total - followUps.length} older ones`);
  return textOf(lines);
}

/** For each check whether it is followed up, and its notes, newest first. */
export function checksText(checks: readonly FollowedUpCheck[], followUps: readonly FollowUpRecord[]): string {
  const lines = checks.flatMap(({ eventId, count }) => {
    const notes = followUps.filter((one) => one.eventId === eventId);
    const rest = count - notes.length;
    return [
      `${eventId}  ${count === 0 ? 'not followed up' : `${count} ${count === 1 ? 'follow-up' : 'follow-ups'}`}`,
      ...notes.map((one) => `  ${noteOf(one)}`),
      ...(rest > 0 ? [`  and ${rest} older ones`] : []),
    ];
  });
  return textOf(lines);
}

function noteOf({ at, by, note }: FollowUpRecord): string {
  return `${at} by ${by.id ?? by.kind}: ${note ?? '(the note is erased)'}`;
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${visible(line)}\n`).join('');
}

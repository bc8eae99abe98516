import type { NewShareRecord, ShareRecord } from '@countersign/contracts';
import { visible } from '../approvals/visible.js';
import { CommandFailed, EXIT } from '../exit-codes.js';

const SECONDS = { h: 3600, d: 86_400 } as const;

/** Seconds of a time such as `12h` or `7d`. @throws CommandFailed 64 */
export function secondsOf(text: string): number {
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? [];
  if (count === undefined) throw new CommandFailed(EXIT.usage, `${visible(text)} is no time: such as 12h or 7d`);
  return Number(count) * SECONDS[unit as keyof typeof SECONDS];
}

/** The link alone on the first line, to be copied; then what it is. */
export function newShareText({ url, id, expiresAt, form }: NewShareRecord): string {
  return `${visible(url)}\n${visible(`${form}, until ${expiresAt}; link ${id}. It is not shown again.`)}\n`;
}

/** A line for each link: id, state, form, end, fetches, maker and note. @param total also those that are not listed */
export function sharesText(shares: readonly ShareRecord[], total: number, nowMs: number): string {
  const lines = shares.map((share) => visible(lineOf(share, nowMs)));
  if (total === 0) lines.push('no links');
  if (total > shares.length) lines.push(`and ${total - shares.length} older ones`);
  return lines.map((line) => `${line}\n`).join('');
}

function lineOf(share: ShareRecord, nowMs: number): string {
  const { id, form, expiresAt, fetches, lastFetchAt, createdBy, note, log } = share;
  const address = log[0]?.address ?? null;
  const last = lastFetchAt === null ? '' : `, last ${lastFetchAt}${address === null ? '' : ` from ${address}`}`;
  const fields = [id, stateOf(share, nowMs).padEnd(9), form.padEnd(7), expiresAt, `${fetches} fetches${last}`];
  return [...fields, `by ${createdBy.email}`, ...(note === null ? [] : [note])].join('  ');
}

function stateOf(
  { revokedAt, withdrawn, expiresAt }: ShareRecord,
  nowMs: number,
): 'revoked' | 'withdrawn' | 'ended' | 'valid' {
  if (revokedAt !== null) return 'revoked';
  if (withdrawn) return 'withdrawn';
  return Date.parse(expiresAt) <= nowMs ? 'ended' : 'valid';
}

import type { LegalHoldRecord } from '@countersign/contracts';
import { visible } from '../approvals/visible.js';

const STATES: Readonly<Record<LegalHoldRecord['state'], string>> = {
  settling: 'settling',
  in_force: 'in force',
  released: 'released',
};

/** A line about a hold that was placed, and one more where an erasure had begun before it. */
export function placedText({ id, name, state }: LegalHoldRecord): string {
  const settles =
    state === 'settling'
      ? 'An erasure that had begun before may still be carried out: list the holds again in a minute.\n'
      : '';
  return `${visible(`${id}  ${STATES[state]}  ${name}`)}\n${settles}`;
}

/** For each hold: id, state, name and what it holds; who placed it, when and why; and who released it. @param total also those that are not listed */
export function holdsText(holds: readonly LegalHoldRecord[], total: number): string {
  const lines = holds.flatMap(linesOf).map(visible);
  if (total === 0) lines.push('no legal holds');
  if (total > holds.length) lines.push(`and ${total - holds.length} older ones`);
  return lines.map((line) => `${line}\n`).join('');
}

function linesOf(hold: LegalHoldRecord): readonly string[] {
  const { id, name, state, placedAt, placedBy, reason, released } = hold;
  return [
    `${id}  ${STATES[state].padEnd(8)}  ${name}  ${scopeOf(hold)}`,
    `  placed ${placedAt} by ${placedBy.email}: ${reason}`,
    ...(released === null ? [] : [`  released ${released.at} by ${released.by.email}: ${released.reason}`]),
  ];
}

function scopeOf({ agents, from, to }: LegalHoldRecord): string {
  const of = agents === null ? 'everything of the account' : `agents ${agents.join(', ')}`;
  return [of, ...(from === null ? [] : [`from ${from}`]), ...(to === null ? [] : [`to ${to}`])].join(' ');
}

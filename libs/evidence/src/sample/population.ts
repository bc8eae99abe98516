import type { Sha256 } from '../crypto.js';
import { isInstant } from '../encoding/time.js';
import { isUuid } from '../encoding/uuid.js';
import { NotCanonical } from '../json/canonicalize.js';
import { packageDigests } from '../package/canonical.js';
import { isRecord, isWhole, read, type Reading, refuse } from '../reading.js';
import type { Sample, SampledEvent, SamplePopulation } from './rule.js';

/** An event that may be drawn. */
export type Member = Omit<SampledEvent, 'rank' | 'draw'>;

/** The part of a package that a sample needs. */
export interface SampledPackage {
  readonly facts: Sample['package'];
  /** As the package names it: network and transaction; `null` while it was pending at issue. */
  readonly anchor: { readonly network: string; readonly txSignature: string } | null;
  /** Events of the range, in the package's order. */
  readonly members: readonly Member[];
}

/**
 * Reads a package for a sample and recomputes its hashes. `verifyPackage` verifies the package; this refuses only what
 * nothing can be drawn from.
 */
export function readSampledPackage(pkg: unknown, sha256: Sha256): Reading<SampledPackage> {
  if (!isRecord(pkg)) return refuse('the package is not a JSON object');
  const { reportId, range, timestamp, events } = pkg;
  if (typeof reportId !== 'string') return refuse('reportId must be a string');
  if (!isRecord(range) || !isInstant(range['from']) || !isInstant(range['to']))
    return refuse('range must have from and to, instants in ISO 8601 UTC with milliseconds');
  if (!isRecord(timestamp)) return refuse('timestamp must be an object');
  if (!Array.isArray(events)) return refuse('events must be an array');
  const members: Member[] = [];
  for (const [index, entry] of (events as unknown[]).entries()) {
    const member = readMember(entry, index);
    if (typeof member === 'string') return refuse(member);
    if (member !== null) members.push(member);
  }
  if (new Set(members.map(({ eventId }) => eventId)).size < members.length) return refuse('an event is there twice');
  const { anchor, anchor_tx_signature: txSignature } = timestamp;
  try {
    const digests = packageDigests(pkg, sha256);
    const { from, to } = range as { readonly from: string; readonly to: string };
    return read({
      facts: { reportId, sha256: digests.sha256, contentHash: digests.contentHash, range: { from, to } },
      anchor: typeof anchor === 'string' && typeof txSignature === 'string' ? { network: anchor, txSignature } : null,
      members,
    });
  } catch (error) {
    if (error instanceof NotCanonical) return refuse('the package has no canonical form');
    throw error;
  }
}

export function populationOf(members: readonly Member[], population: SamplePopulation): readonly Member[] {
  return population === 'events' ? members : members.filter(({ type }) => type === 'action.checked');
}

/** `null`: it lies outside of the range. A text: the problem. */
function readMember(entry: unknown, index: number): Member | null | string {
  const event = isRecord(entry) ? entry['event'] : null;
  if (!isRecord(entry) || !isRecord(event)) return `events[${index}].event must be an object`;
  if (entry['outsideRange'] === true) return null;
  const { sequence } = entry;
  const { eventId, agentId, type, outcome, occurredAt } = event;
  if (!isUuid(eventId) || !isUuid(agentId)) return `events[${index}].event must have eventId and agentId, UUIDs`;
  if (!isWhole(sequence, 1)) return `events[${index}].sequence must be a whole number from 1`;
  if (typeof type !== 'string' || !isInstant(occurredAt) || (outcome !== null && typeof outcome !== 'string'))
    return `events[${index}].event must have type, outcome and occurredAt`;
  return { index, eventId, agentId, sequence, type, outcome, occurredAt };
}

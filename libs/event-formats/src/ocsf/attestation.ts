import { createHash } from 'node:crypto';
import { canonicalBytes } from '@countersign/evidence';
import type { OcsfEvent } from './common-attributes.js';

/** An event that the next one of its chain refers to. */
export interface ChainLink {
  /** `metadata.uid` of the event. */
  readonly uid: string;
  readonly typeUid: number;
  /** SHA-256, lower-case hex. */
  readonly fingerprint: string;
}

/** Where an event stands in a chain of events. */
export interface ChainPlace {
  readonly chainUid: string;
  /** `null`: it is the first. */
  readonly previous: ChainLink | null;
}

const fingerprintOf = (value: string): unknown => ({
  algorithm: 'SHA-256',
  algorithm_id: 3,
  encoding: 'Hex',
  encoding_id: 1,
  serialization: 'JCS',
  serialization_id: 2,
  value,
});

/**
 * Adds the profile Record Integrity: the fingerprint of the event in JCS (RFC 8785), with all of its attestation but the
 * fingerprint itself. It is not signed: it shows what was altered after it was sent, and, in a chain, what is missing.
 * @param place `null`: the event stands alone
 * @returns the event, and the link that the next one of its chain takes as `previous`
 * @throws NotCanonical for a value that is no JSON
 */
export function attested(
  event: OcsfEvent,
  place: ChainPlace | null,
): { readonly event: OcsfEvent; readonly link: ChainLink } {
  const chain = place === null ? {} : { chain_uid: place.chainUid, ...previousOf(place) };
  const bytes = canonicalBytes({ ...event, attestation_list: [chain] });
  const fingerprint = createHash('sha256').update(bytes).digest('hex');
  const attestation = { ...chain, fingerprint: fingerprintOf(fingerprint) };
  const link = { uid: event.metadata.uid, typeUid: event.type_uid, fingerprint };
  return { event: { ...event, attestation_list: [attestation] }, link };
}

function previousOf({ previous }: ChainPlace): { readonly prev_event?: unknown } {
  if (previous === null) return {};
  const { uid, typeUid, fingerprint } = previous;
  return { prev_event: { uid, type_uid: typeUid, fingerprint: fingerprintOf(fingerprint) } };
}

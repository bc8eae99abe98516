import type { Opening, Openings, ShownOpenings } from '@countersign/contracts';
import { discloseMembers } from '@countersign/evidence';
import type { CommitmentKind, EvidenceCrypto } from '@countersign/evidence';

/**
 * The openings of an event in a report. Where the action or its payload stays closed, so does the signature of the request in the
 * context: it covers an unsalted digest of both, against which a guess could be tested.
 */
export function shownOpenings(
  openings: Openings,
  withhold: readonly CommitmentKind[],
  sha256: EvidenceCrypto['sha256'],
): ShownOpenings {
  if (withhold.length === 0) return openings;
  const { action, payload, context } = openings;
  return {
    ...(action === undefined || withhold.includes('action') ? {} : { action }),
    ...(payload === undefined || withhold.includes('payload') ? {} : { payload }),
    ...(context === undefined || withhold.includes('context') ? {} : { context: withoutSignature(context, sha256) }),
  };
}

function withoutSignature(context: Opening, sha256: EvidenceCrypto['sha256']): NonNullable<ShownOpenings['context']> {
  const { salt, value } = context;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !('signature' in value)) return context;
  const names = Object.keys(value).filter((name) => name !== 'signature');
  return discloseMembers('context', salt, value, new Set(names), sha256);
}

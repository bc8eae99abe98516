import type { EventExplanation, EventWithProfile, JsonValue, PackageEvent } from '@countersign/contracts';
import { redecide } from '@countersign/redecide';
import { profileSha256, type Digest } from '../domain/profile.js';

/** An action and payload that are judged in one piece: about 10 ms with every rule. */
const MOST_CHARACTERS = 65_536;

/**
 * Computes the verdict of one recorded check again, as of a package that holds it and the profile of then: FORMAT.md,
 * "Re-decision". Balances are taken as the check saw them. Not in time slices, so a longer action is left out.
 */
export function redecideEvent(found: EventWithProfile, sha256: Digest): EventExplanation['redecided'] {
  const { event, profile } = found;
  const { leaf, openings } = event.envelope;
  if (JSON.stringify([openings.action?.value, openings.payload?.value]).length > MOST_CHARACTERS)
    return { verdict: 'not_checked', reason: 'size', differences: [] };
  const unjudged = { status: 'Satisfied', statusReason: null, controls: [] } as const;
  const check: PackageEvent = {
    ...{ event: leaf, sequence: event.sequence, opened: openings, ...unjudged },
    ...(event.erased || openings.action === undefined ? { erased: true } : {}),
  };
  const changes: PackageEvent[] =
    profile === null
      ? []
      : [
          {
            event: {
              ...leaf,
              type: 'profile.changed',
              profileVersion: profile.version,
              profileSha256: profileSha256(profile, sha256),
            },
            sequence: 0,
            opened: { action: { salt: '', value: { profile } as unknown as JsonValue } },
            ...unjudged,
          },
        ];
  try {
    const [judged] = redecide({ events: [...changes, check] }, { sha256 }).events;
    const { verdict, reason, differences } = judged!;
    return { verdict, reason, differences: [...differences] };
  } catch {
    // Its context has a form that this version does not write.
    return { verdict: 'not_checked', reason: 'unreadable', differences: [] };
  }
}

import type { BehaviorProfile, JsonValue, ProfileVersion } from '@countersign/contracts';
import { canonicalize } from '@countersign/evidence';
import type { StoredEvent } from './event-record.js';

/** The profile that an event `profile.changed` commits to; `null`: its content is erased. */
export function committedProfile({ openings }: StoredEvent): BehaviorProfile | null {
  return (committed(openings.action?.value)['profile'] ?? null) as BehaviorProfile | null;
}

/** @param before the event of the version before; `null`: there is none, and every field counts as new */
export function profileVersion(event: StoredEvent, before: StoredEvent | null): ProfileVersion {
  const { leaf, openings, anchored } = event;
  return {
    version: leaf.profileVersion!,
    at: leaf.occurredAt,
    by: committed(openings.action?.value)['by'] ?? null,
    eventId: leaf.eventId,
    sha256: leaf.profileSha256!,
    anchored,
    changed: changedFields(committedProfile(event), before === null ? {} : committedProfile(before)),
  };
}

/** Names of the fields that differ, ascending. */
function changedFields(now: object | null, before: object | null): readonly string[] | null {
  if (now === null || before === null) return null;
  const [one, other] = [now, before] as readonly [Record<string, JsonValue>, Record<string, JsonValue>];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])]
    .filter((name) => name !== 'version' && name !== 'agent_id')
    .filter((name) => canonicalize(one[name] ?? null) !== canonicalize(other[name] ?? null))
    .sort();
}

function committed(value: JsonValue | undefined): Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, JsonValue>)
    : {};
}

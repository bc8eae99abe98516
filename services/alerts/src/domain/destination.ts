import type { AlertConfigBody, AlertConfigRecord } from '@countersign/contracts';

/** Limits the fan-out: every violation is judged for each destination. */
export const MAX_DESTINATIONS = 50;

/** An address to which an account's violations are sent. */
export interface Destination extends AlertConfigRecord {
  readonly accountId: string;
  /** The sealed secret of a webhook; `null` for e-mail. */
  readonly sealedSecret: string | null;
  /** Time of the last change of the address, ms. Absent: it is the first one, or was changed by an earlier release. */
  readonly addressChangedAtMs?: number;
  /** Rises with every change. */
  readonly revision: number;
}

/** The destination in API answers. */
export function alertConfigRecord(destination: Destination): AlertConfigRecord {
  const { id, kind, minSeverity, enabled, createdAt, disabledAt, disabledReason } = destination;
  return {
    id,
    kind,
    destination: destination.destination,
    minSeverity,
    enabled,
    createdAt,
    disabledAt,
    disabledReason,
  };
}

/** Applies the members of a body; enabling a destination clears the reason why it was disabled. */
export function changed(
  old: Destination,
  { destination = old.destination, minSeverity = old.minSeverity, enabled = old.enabled }: AlertConfigBody,
  nowMs: number,
): Destination {
  const moved = destination === old.destination ? {} : { addressChangedAtMs: nowMs };
  const again = enabled ? { disabledAt: null, disabledReason: null } : {};
  return { ...old, destination, minSeverity, enabled, ...again, ...moved, revision: old.revision + 1 };
}

/** The destination after the last failed attempt. */
export function disabled(old: Destination, reason: string, at: string): Destination {
  return { ...old, enabled: false, disabledAt: at, disabledReason: reason, revision: old.revision + 1 };
}

import type { AlertConfigBody, AlertConfigRecord } from '@countersign/contracts';

/** More would be a mailing list, and every violation is judged for each. */
export const MAX_DESTINATIONS = 50;

/** Where an account is told of violations. */
export interface Destination extends AlertConfigRecord {
  readonly accountId: string;
  /** Of a webhook, sealed; `null` for e-mail. */
  readonly sealedSecret: string | null;
  /** Rises with every change. */
  readonly revision: number;
}

/** As the routes show it. */
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

/** The destination with what the body names; enabling it forgets why it was disabled. */
export function changed(
  old: Destination,
  { destination = old.destination, minSeverity = old.minSeverity, enabled = old.enabled }: AlertConfigBody,
): Destination {
  const again = enabled ? { disabledAt: null, disabledReason: null } : {};
  return { ...old, destination, minSeverity, enabled, ...again, revision: old.revision + 1 };
}

/** The destination once the service gives up on it. */
export function disabled(old: Destination, reason: string, at: string): Destination {
  return { ...old, enabled: false, disabledAt: at, disabledReason: reason, revision: old.revision + 1 };
}

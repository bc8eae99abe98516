import type {
  ArchivedEvent,
  ComplianceScope,
  Framework,
  LeafEvent,
  PackageEvent,
  ReportedOutcome,
} from '@countersign/contracts';
import { eventStatus, namesDataScope } from '@countersign/evidence';
import type { ControlMapping } from '../mapping/control-mapping.js';
import { eventConditions, situationOf } from '../mapping/situation.js';

/** Events around those that are assessed. */
export interface Surroundings {
  /** By event id: the events that refer to it, wherever they are in the archive. */
  readonly referring: ReadonlyMap<string, readonly ArchivedEvent[]>;
  /** By id: the checks that outcomes refer to, wherever they are in the archive. */
  readonly referred: ReadonlyMap<string, LeafEvent>;
}

/** The status of an event and the controls that it is evidence for. */
export type Assessment = Pick<PackageEvent, 'status' | 'statusReason' | 'controls'>;

/**
 * The status of an event, and the controls that it is evidence for, as a package states them. It presumes that the proof of
 * the event holds, which a verifier of the package examines.
 */
export function assessEvent(
  event: ArchivedEvent,
  { referring, referred }: Surroundings,
  { frameworks, scope }: { readonly frameworks: readonly Framework[]; readonly scope: ComplianceScope },
  mapping: Pick<ControlMapping, 'controls'>,
): Assessment {
  const { leaf, openings, answer } = event.envelope;
  const about = (referring.get(leaf.eventId) ?? []).map(({ envelope }) => envelope.leaf);
  const { status, statusReason } = eventStatus({
    event: leaf,
    holds: true,
    reported: about.filter((l) => l.type === 'action.outcome').map((l) => l.outcome as ReportedOutcome),
    unanswered: about.some((l) => l.type === 'action.unanswered'),
    referred: leaf.refersTo === null ? null : (referred.get(leaf.refersTo) ?? null),
    // Erased content can no longer be read: it is not counted as lacking a scope.
    dataScope: event.erased || namesDataScope(openings.action?.value),
  });
  const situation = situationOf(leaf, answer?.category ?? null);
  const conditions = eventConditions(openings.action?.value);
  return { status, statusReason, controls: mapping.controls(situation, frameworks, scope, conditions, status) };
}

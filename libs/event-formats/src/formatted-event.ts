import { ACCOUNT_EVENTS, listedAction } from '@countersign/contracts';
import type { JsonValue, LeafEvent, ListedAction, Openings } from '@countersign/contracts';

/** An event of the archive, as it is written in a format of other products. */
export interface FormattedEvent {
  readonly sequence: number;
  readonly leaf: LeafEvent;
  /** Without those that were erased or never kept. */
  readonly openings: Openings;
  /** Absent where it is not said: a stream sends an event before its window is anchored. */
  readonly anchored?: boolean;
}

/** The content of an event: a check's action by its fields; any other type's committed value; `null`: it is not kept. */
export function shownAction(leaf: LeafEvent, openings: Openings): ListedAction | JsonValue {
  // An outcome commits its detail as payload.
  if (leaf.type !== 'action.checked') return openings.action?.value ?? openings.payload?.value ?? null;
  const value = openings.action?.value;
  return value === undefined ? null : listedAction(value);
}

/** A text member of a check's action by the caller's own words; `null`: it has none, or is not kept. */
export function actionText({ leaf, openings }: FormattedEvent, name: string): string | null {
  if (leaf.type !== 'action.checked') return null;
  const words = shownAction(leaf, openings) as Readonly<Record<string, JsonValue>> | null;
  const value = words?.[name];
  return typeof value === 'string' ? value : null;
}

/** The event in one line for people. */
export function messageOf({ type, actionKind, outcome, reason, agentId, detail }: LeafEvent): string {
  if (type.startsWith(ACCOUNT_EVENTS)) {
    return `${outcome === null ? type : `${type} ${outcome}`} (${detail ?? 'unknown'})`;
  }
  if (!isAboutAction(type)) return `${type} (agent ${agentId})`;
  const what = [ACTIVITIES.get(type), actionKind, outcome].filter((word) => word !== null).join(' ');
  return reason === null ? what : `${what}: ${reason}`;
}

const ACTIVITIES: ReadonlyMap<string, string> = new Map([
  ['action.checked', 'Authorization check'],
  ['action.outcome', 'Reported outcome'],
  ['action.unanswered', 'Answer of unknown fate'],
]);

/** Decisions and what became of them; all other types are changes of what is governed. */
export function isAboutAction(type: string): boolean {
  return ACTIVITIES.has(type);
}

/** The name of what was done with an action: `Authorization check`. */
export function activityOf(type: string): string {
  return ACTIVITIES.get(type) ?? type;
}

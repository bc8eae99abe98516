import type { LeafEvent } from '@countersign/contracts';
import type { OpenAlert } from '../store/port.js';

/** Members of a blocked leaf by which alerts are grouped. */
export function openAlert(leaf: LeafEvent): OpenAlert {
  const { eventId, agentId, occurredAt, outcome, violation_type: violationType, rule, severity } = leaf;
  return { eventId, agentId, occurredAt, outcome, violationType, rule, severity };
}

/** Open alerts of one agent, outcome, violation and rule. */
export interface AlertCount {
  readonly newest: OpenAlert;
  readonly firstAt: string;
  readonly count: number;
}

/**
 * Groups alerts by agent, outcome, violation and rule; the group with the newest alert first.
 * @param alerts newest first
 */
export function groupAlerts(alerts: readonly OpenAlert[]): readonly AlertCount[] {
  const groups = new Map<string, AlertCount>();
  for (const alert of alerts) {
    const { agentId, outcome, violationType, rule, occurredAt } = alert;
    const key = JSON.stringify([agentId, outcome, violationType, rule]);
    const group = groups.get(key);
    groups.set(key, { newest: group?.newest ?? alert, firstAt: occurredAt, count: (group?.count ?? 0) + 1 });
  }
  return [...groups.values()];
}

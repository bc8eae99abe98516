import { join } from 'node:path';

/** Where a standalone instance keeps what, below its data directory. */
export const LAYOUT = {
  log: 'log.db',
  archive: 'audit-log/events.db',
  holds: 'audit-log/holds.db',
  anchors: 'anchoring/anchors.db',
  authority: 'anchoring/authority.json',
  policy: 'policy/policy.sqlite',
  identity: 'identity/identity.sqlite',
  reports: 'reporting/reports.db',
  packages: 'reporting/packages',
  keys: 'reporting/keys',
  facts: 'verification/public-facts.db',
  alerts: 'alerts/alerts.db',
  ledger: 'localnet',
} as const;

export type StoreName = 'archive' | 'holds' | 'anchors' | 'policy' | 'identity' | 'reports' | 'facts' | 'alerts';
export const STORE_NAMES: readonly StoreName[] = [
  'archive',
  'holds',
  'anchors',
  'policy',
  'identity',
  'reports',
  'facts',
  'alerts',
];

export function placeOf(dataDir: string, name: keyof typeof LAYOUT): string {
  return join(dataDir, LAYOUT[name]);
}

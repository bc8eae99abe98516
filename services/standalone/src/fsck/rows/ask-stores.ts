import { LAYOUT, type StoreName } from '../layout.js';
import type { Store } from '../open-stores.js';
import type { Check } from '../report.js';
import { ALERT_OWNERS, ALERT_ROWS } from './alert-rows.js';
import { askAnchorRows } from './anchor-rows.js';
import { ARCHIVE_ROWS, RETENTION_ROWS } from './archive-rows.js';
import { IDENTITY_ROWS } from './identity-rows.js';
import { askPolicyRows } from './policy-rows.js';
import { askRows } from './questions.js';
import { has, hasColumn } from './positions.js';
import { AGENT_FACT_ROWS, FACT_ROWS, OPENED_ROWS, REPORT_ROWS } from './report-rows.js';

/**
 * Asks each store about its own rows. What the embedded profile keeps in columns beside its facts, MongoDB keeps once.
 * @param isEmbedded the stores have all tables of the embedded profile
 */
export function askStores(stores: Readonly<Record<StoreName, Store | null>>, isEmbedded: boolean, check: Check): void {
  const { archive, anchors, policy, identity, reports, facts, alerts } = stores;
  if (alerts !== null) askRows(LAYOUT.alerts, alerts, ALERT_ROWS, check);
  if (!isEmbedded) return;
  if (alerts !== null) askRows(LAYOUT.alerts, alerts, ALERT_OWNERS, check);
  if (archive !== null) askRows(LAYOUT.archive, archive, ARCHIVE_ROWS, check);
  if (archive !== null && hasColumn(archive, 'agents', 'retained_sequence'))
    askRows(LAYOUT.archive, archive, RETENTION_ROWS, check);
  if (identity !== null) askRows(LAYOUT.identity, identity, IDENTITY_ROWS, check);
  if (reports !== null) askRows(LAYOUT.reports, reports, REPORT_ROWS, check);
  if (reports !== null && has(reports, 'openings')) askRows(LAYOUT.reports, reports, OPENED_ROWS, check);
  if (facts !== null && hasColumn(facts, 'facts', 'ssn')) askRows(LAYOUT.facts, facts, AGENT_FACT_ROWS, check);
  if (facts !== null) askRows(LAYOUT.facts, facts, FACT_ROWS, check);
  if (anchors !== null) askAnchorRows(anchors, check);
  if (policy !== null) askPolicyRows(policy, check);
}

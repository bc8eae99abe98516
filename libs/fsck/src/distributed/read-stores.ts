import { LAYOUT } from '../layout.js';
import { inspect, type ServiceStores } from '../open-stores.js';
import type { Check } from '../report.js';

/** Opens the stores in MongoDB; `null`: of another release, which is a finding then. @throws when no server answers */
export async function inspectStores(uri: string, files: Check): Promise<ServiceStores> {
  files.examined += 8;
  const { inspectAlerts } = await import('@countersign/alerts');
  const alerts = await inspect(LAYOUT.alerts, () => inspectAlerts({ uri }), files, null);
  const { inspectAnchors } = await import('@countersign/anchoring');
  const anchors = await inspect(LAYOUT.anchors, () => inspectAnchors({ uri }), files, null);
  const { inspectArchive, inspectHolds } = await import('@countersign/audit-log');
  const archive = await inspect(LAYOUT.archive, () => inspectArchive({ uri }), files, null);
  const holds = await inspect(LAYOUT.holds, () => inspectHolds({ uri }), files, null);
  const { inspectIdentity } = await import('@countersign/identity');
  const identity = await inspect(LAYOUT.identity, () => inspectIdentity({ uri }), files, null);
  const { inspectPolicy } = await import('@countersign/policy');
  const policy = await inspect(LAYOUT.policy, () => inspectPolicy({ uri }), files, null);
  const { inspectReports } = await import('@countersign/reporting');
  const reports = await inspect(LAYOUT.reports, () => inspectReports({ uri }), files, null);
  const { inspectFacts } = await import('@countersign/verification');
  const facts = await inspect(LAYOUT.facts, () => inspectFacts({ uri }), files, null);
  return { alerts, anchors, archive, holds, identity, policy, reports, facts };
}

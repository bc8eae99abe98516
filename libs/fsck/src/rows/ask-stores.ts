import { LAYOUT } from '../layout.js';
import type { ServiceStores } from '../open-stores.js';
import type { Check } from '../report.js';
import { askPolicyRows } from './policy-rows.js';

/**
 * Asks each store for contradictions in its own rows.
 * @param isEmbedded the stores have all tables of the embedded profile
 */
export async function askStores(stores: ServiceStores, isEmbedded: boolean, check: Check): Promise<void> {
  const { archive, anchors, policy, identity, reports, facts, alerts } = stores;
  for (const [file, store] of [
    [LAYOUT.alerts, alerts],
    [LAYOUT.anchors, anchors],
    [LAYOUT.archive, archive],
    [LAYOUT.identity, identity],
    [LAYOUT.reports, reports],
    [LAYOUT.facts, facts],
  ] as const) {
    if (store === null) continue;
    check.examined += 1;
    for await (const { place, problem } of store.problems()) check.wrong(`${file} ${place}`, problem);
  }
  if (!isEmbedded) return;
  if (policy !== null) askPolicyRows(policy, check);
}

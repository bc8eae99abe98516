import { LAYOUT } from '../layout.js';
import type { ServiceStores } from '../open-stores.js';
import type { Check } from '../report.js';

/** Reports the problems that each store finds in its own rows. */
export async function askStores(stores: ServiceStores, check: Check): Promise<void> {
  const { archive, holds, anchors, policy, identity, reports, facts, alerts } = stores;
  for (const [file, store] of [
    [LAYOUT.alerts, alerts],
    [LAYOUT.anchors, anchors],
    [LAYOUT.archive, archive],
    [LAYOUT.holds, holds],
    [LAYOUT.identity, identity],
    [LAYOUT.policy, policy],
    [LAYOUT.reports, reports],
    [LAYOUT.facts, facts],
  ] as const) {
    if (store === null) continue;
    check.examined += 1;
    for await (const { place, problem } of store.problems()) check.wrong(`${file} ${place}`, problem);
  }
}

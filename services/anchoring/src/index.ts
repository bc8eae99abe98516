import { anchoringRoutes } from '@countersign/contracts';
import type { ServiceDefinition } from '@countersign/service-kit';
import { startAnchoring } from './service.js';

export { type AbsenceAnswer, proveAbsences, type WindowLabel, windowsBetween } from './prove/absence.js';
export { restoreFromTopics } from './restore/restore.js';
export { openStoreRebuild } from './store/open-rebuild.js';
export { readStoredTables } from './store/stored-tables.js';

/** Windows of the log, their trees, and their roots on the chain. */
export const definition: ServiceDefinition = {
  name: 'anchoring',
  routes: Object.values(anchoringRoutes),
  reads: ['agent-events', 'anchor-requests'],
  writes: ['anchors', 'dead-letters'],
  after: [],
  start: startAnchoring,
};

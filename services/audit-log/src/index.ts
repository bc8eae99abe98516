import { auditLogRoutes, outcomeRoutes } from '@countersign/contracts';
import type { ServiceDefinition } from '@countersign/service-kit';
import { startAuditLog } from './service.js';

export { rebuildFromTopics } from './rebuild.js';
export type { OlderEvent } from './rebuild.js';
export { openStoreRebuild } from './store/open-rebuild.js';
export { readStoredTables } from './store/stored-tables.js';

/** The archive of events: lists, the violation inbox, erasure, and where events are anchored. */
export const definition: ServiceDefinition = {
  name: 'audit-log',
  routes: [...Object.values(auditLogRoutes), ...Object.values(outcomeRoutes)],
  reads: ['agent-events', 'anchors', 'agents', 'accounts', 'compliance-scopes'],
  writes: ['agent-events', 'agent-heads', 'dead-letters'],
  after: [],
  start: startAuditLog,
};

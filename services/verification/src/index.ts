export { definition } from './definition.js';
export { registeredAgent } from './look-up-agent/registered-agent.js';
export { rebuildFromTopics } from './rebuild.js';
export { inspectFacts } from './store/inspect.js';
export type { FactInspection } from './store/inspect.js';
export { openStoreRebuild } from './store/open.js';
export type { PublicFact } from './store/port.js';

export { definition } from './definition.js';
export { registeredAgent } from './look-up-agent/registered-agent.js';
export { rebuildFromTopics } from './rebuild.js';
export { openStoreRebuild } from './store/open-rebuild.js';
export { readStoredTables } from './store/stored-tables.js';

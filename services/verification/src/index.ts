export { definition } from './definition.js';
export { registeredAgent } from './look-up-agent/registered-agent.js';
export { rebuildFromTopics } from './rebuild.js';
export { readStoredTables } from './store/stored-tables.js';

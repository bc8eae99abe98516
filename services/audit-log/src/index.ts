export { definition } from './definition.js';
export { rebuildFromTopics } from './rebuild.js';
export type { OlderEvent } from './rebuild.js';
export { openStoreRebuild } from './store/open-rebuild.js';
export { readStoredTables } from './store/stored-tables.js';

export { definition } from './definition.js';
export { restoreFromTopics } from './restore.js';
export { operateKeys } from './signing-keys/serve-keys.js';
export { readStoredPackages, readStoredTables } from './store/stored-tables.js';
export type { StoredPackages } from './store/mongo-tables.js';

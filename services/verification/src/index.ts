export { definition } from './definition.js';
export { readStoredTables } from './store/stored-tables.js';

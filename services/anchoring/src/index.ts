export { definition } from './definition.js';
export { type AbsenceAnswer, proveAbsences, type WindowLabel, windowsBetween } from './prove/absence.js';
export { restoreFromTopics } from './restore/restore.js';
export { openStoreRebuild } from './store/open-rebuild.js';
export { readStoredTables } from './store/stored-tables.js';

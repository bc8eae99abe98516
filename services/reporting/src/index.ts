export { definition } from './definition.js';
export { restoreFromTopics } from './restore.js';
export { operateKeys } from './signing-keys/serve-keys.js';
export { inspectReports } from './store/inspect.js';
export type { ReportInspection } from './store/inspect.js';
export type { StoredReport } from './store/port.js';
export { readStoredPackages } from './store/stored-packages.js';
export type { StoredPackages } from './store/mongo-packages.js';

export { definition } from './definition.js';
export { inspectAlerts } from './store/inspect.js';
export type { AlertInspection } from './store/inspect.js';

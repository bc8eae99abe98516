export { definition } from './definition.js';
export { restoreFromTopics } from './restore.js';
export { inspectIdentity } from './store/inspect.js';
export type { IdentityInspection } from './store/inspect.js';

export { definition } from './definition.js';
export { rebuildFromTopics } from './rebuild.js';
export type { OlderEvent } from './rebuild.js';
export { inspectHolds } from './store/inspect-holds.js';
export type { HoldInspection } from './store/inspect-holds.js';
export { inspectArchive } from './store/inspect.js';
export type {
  ArchiveInspection,
  ArchivePlace,
  ArchiveRange,
  BlockedCount,
  EventOutline,
  InspectedEvent,
} from './store/inspection.js';
export { openStoreRebuild } from './store/open-rebuild.js';
export { takeAcknowledgements } from './store/sqlite-acknowledgements.js';

export { definition } from './definition.js';
export { type AbsenceAnswer, proveAbsences, type WindowLabel, windowsBetween } from './prove/absence.js';
export { restoreFromTopics } from './restore/restore.js';
export { inspectAnchors } from './store/inspect.js';
export type {
  AnchorInspection,
  InspectedAgent,
  InspectedAnchor,
  InspectedArrival,
  InspectedReport,
  InspectedRun,
  InspectedSegment,
  InspectedWindow,
} from './store/inspection.js';
export { openStoreRebuild } from './store/open-rebuild.js';

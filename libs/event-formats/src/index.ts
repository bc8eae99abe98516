export { cefEvent } from './cef-event.js';
export { ecsEvent } from './ecs-event.js';
export { type FormattedEvent, shownAction } from './formatted-event.js';
export { attested, type ChainLink, type ChainPlace } from './ocsf/attestation.js';
export { ocsfEvent } from './ocsf/ocsf-event.js';
export type { OcsfEvent } from './ocsf/common-attributes.js';

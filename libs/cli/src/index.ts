export { Api, readBootstrap } from './api-client/api.js';
export type { Bootstrap } from './api-client/api.js';
export { readActions } from './replay/read-actions.js';
export { replay, replayTable } from './replay/replay.js';
export { verifyFile } from './verify-file/verify-file.js';

export { startInstance } from './start/instance.js';
export type { Instance, Placement } from './start/instance.js';
export { askInstance } from './operate/admin-socket.js';

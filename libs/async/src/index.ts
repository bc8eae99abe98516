export { BackgroundLoop } from './background-loop.js';
export { Deadlines } from './deadlines.js';
export type { Timed } from './deadlines.js';
export { messageOf } from './message-of.js';
export { oncePerTick } from './once-per-tick.js';
export { Semaphore } from './semaphore.js';
export { runInSlices, TimeSlice } from './time-slice.js';

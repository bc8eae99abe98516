export * from './leaf.js';
export * from './package.js';
export * from './envelope.js';
export * from './topics.js';
export * from './records.js';
export * from './neighbours.js';
export * from './http/route.js';
export * from './http/fragments.js';

export * from './leaf.js';
export * from './package.js';

export * from './errors.js';
export * from './port.js';

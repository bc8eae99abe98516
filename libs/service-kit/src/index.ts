export * from './service/definition.js';
export * from './configuration/config.js';
export * from './edge/http-contract.js';

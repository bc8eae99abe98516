export { dropDatabase } from './drop-database.js';
export { killAt } from './killed.js';
export type { Kill } from './killed.js';
export { killedChild } from './killed-child.js';
export { MongoProxy, persistently, someMongoFaults } from './mongo-proxy.js';
export type { MongoFault } from './mongo-proxy.js';
export { OneTopic } from './one-topic.js';
export { StoresUnderFaults } from './stores-under-faults.js';

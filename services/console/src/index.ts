export { definition } from './definition.js';

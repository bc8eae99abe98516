export { createGateway, definition } from './definition.js';

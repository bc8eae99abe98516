/** Entry of `dist/redecide.browser.js`. */
export * from '../index.js';
export { provideSqlParser } from '@countersign/policy-engine';
export type { SqlParser } from '@countersign/policy-engine';

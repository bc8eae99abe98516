/** What `dist/evidence.browser.js` exports: the library, and the cryptography that it needs in a browser. */
export * from '../index.js';
export { browserCrypto } from './browser-crypto.js';

/** Entry of `dist/evidence.browser.js`: the library, and the cryptography that it needs in a browser. */
export * from '../index.js';
export { browserCrypto } from './browser-crypto.js';

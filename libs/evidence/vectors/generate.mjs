/**
 * Rewrites the vectors: `node libs/evidence/vectors/generate.mjs` after a build. A test compares them with the files.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { vectorFiles } from '../dist/vectors/cases.js';
import { nodeCrypto, seededKey } from './node-crypto.mjs';

for (const name of readdirSync(import.meta.dirname)) {
  if (name.endsWith('.json')) rmSync(new URL(name, import.meta.url));
}
for (const [name, text] of vectorFiles(nodeCrypto.sha256, seededKey))
  writeFileSync(new URL(name, import.meta.url), text);

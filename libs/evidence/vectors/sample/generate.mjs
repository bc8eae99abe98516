/** Rewrites the sample vectors: `node libs/evidence/vectors/sample/generate.mjs`, after those of packages. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { sampleVectorFiles } from '../../dist/vectors/sample-cases.js';
import { nodeCrypto } from '../node-crypto.mjs';

for (const name of readdirSync(import.meta.dirname)) {
  if (name.endsWith('.json')) rmSync(new URL(name, import.meta.url));
}
const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
for (const [name, text] of sampleVectorFiles(read, nodeCrypto.sha256)) {
  writeFileSync(new URL(name, import.meta.url), text);
}

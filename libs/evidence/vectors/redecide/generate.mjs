/** Rewrites the vectors of re-decision: `node libs/evidence/vectors/redecide/generate.mjs`, after a build. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { redecideVectorFiles } from '../../dist/vectors/redecide-cases.js';
import { nodeCrypto, seededKey } from '../node-crypto.mjs';

for (const name of readdirSync(import.meta.dirname)) {
  if (name.endsWith('.json')) rmSync(new URL(name, import.meta.url));
}
for (const [name, text] of redecideVectorFiles(nodeCrypto.sha256, seededKey))
  writeFileSync(new URL(name, import.meta.url), text);

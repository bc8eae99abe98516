/** Rewrites the PDF vectors: `node libs/evidence/vectors/pdf/generate.mjs` after a build. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { pdfVectorFiles } from '../../dist/vectors/pdf-cases.js';
import { nodeCrypto, seededKey } from '../node-crypto.mjs';

for (const name of readdirSync(import.meta.dirname)) {
  if (name.endsWith('.json')) rmSync(new URL(name, import.meta.url));
}
for (const [name, text] of pdfVectorFiles(nodeCrypto.sha256, seededKey))
  writeFileSync(new URL(name, import.meta.url), text);

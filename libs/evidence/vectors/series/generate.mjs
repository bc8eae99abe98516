/** Rewrites the vectors of series: `node libs/evidence/vectors/series/generate.mjs` after a build. */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { seriesVectorFiles } from "../../dist/vectors/series-cases.js";
import { nodeCrypto, seededKey } from "../node-crypto.mjs";

for (const name of readdirSync(import.meta.dirname)) {
  if (name.endsWith(".json")) rmSync(new URL(name, import.meta.url));
}
for (const [name, text] of seriesVectorFiles(nodeCrypto.sha256, seededKey))
  writeFileSync(new URL(name, import.meta.url), text);

/** Regenerates the golden packages: `node services/reporting/golden/generate.mjs` after a build, then `npm run format`. */
import { writeFileSync } from 'node:fs';
import { FRAMEWORKS } from '@countersign/contracts';
import { goldenPackage } from '../dist/issue-report/golden-packages.test-kit.js';

for (const framework of FRAMEWORKS) {
  const text = `${JSON.stringify(await goldenPackage([framework]), null, 2)}\n`;
  writeFileSync(new URL(`${framework}.json`, import.meta.url), text);
}

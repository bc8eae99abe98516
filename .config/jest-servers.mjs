/** Before all tests, and after them: the servers that the tests to be run ask for (test-e2e/infra). */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SETUP = new URL('../test-e2e/dist/infra/jest/setup.js', import.meta.url);

export default async function setUp({ testPathPatterns }) {
  if (!existsSync(SETUP)) {
    process.stderr.write('test-e2e/infra is not built: no servers are started (npm run build)\n');
    if (process.env.COUNTERSIGN_TEST_INFRA === 'required') throw new Error('COUNTERSIGN_TEST_INFRA=required');
    return;
  }
  const toBeRun = testPathPatterns.toExecutor({ rootDir: ROOT });
  const { setUp: start } = await import(SETUP.href);
  await start(ROOT, (path) => toBeRun.isMatch(path));
}

import { existsSync } from 'node:fs';

const SETUP = new URL('../test-e2e/dist/infra/jest/setup.js', import.meta.url);

export default async function tearDown() {
  if (existsSync(SETUP)) await (await import(SETUP.href)).tearDown();
}

import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';
import { everyRoute } from './every-route.test-cases.js';
import { mixedCredentials } from './mixed-credentials.test-cases.js';

onEachProfile('authorization', (start) => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await start();
  }, 90_000);
  afterAll(() => instance?.discard());

  describe('every route of the OpenAPI document', () => everyRoute(() => instance));
  describe('credentials of the wrong scheme', () => mixedCredentials(() => instance));
});

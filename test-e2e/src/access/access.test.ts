import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';
import { everyRoute } from './every-route.test-cases.js';
import { mixedCredentials } from './mixed-credentials.test-cases.js';

// In the distributed profile the console shows the state of the services only where addresses are given; this one is silent.
const WITH_STATE = {
  distributed: {
    COUNTERSIGN_CONSOLE_OPERATIONS: 'true',
    COUNTERSIGN_CONSOLE_PROBES: 'silent=http://127.0.0.1:1',
  },
  embedded: {},
};

onEachProfile('authorization', (start, profile) => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await start({ env: WITH_STATE[profile] });
  }, 90_000);
  afterAll(() => instance?.discard());

  describe('every route of the OpenAPI document', () => everyRoute(() => instance));
  describe('credentials of the wrong scheme', () => mixedCredentials(() => instance));
});

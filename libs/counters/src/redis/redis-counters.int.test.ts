import { randomBytes } from 'node:crypto';
import { countersModelContract } from '../counters-model.contract.js';
import { countersContract } from '../counters.contract.js';
import type { OpenCounters } from '../counters.contract.js';
import { CLAIM_BOUNDS, RULE_BOUNDS } from '../port.js';
import type { Counters } from '../port.js';
import { connectRedisCounters } from './connect.js';
import { removeKeys } from './remove-keys.test-setup.js';

const url = process.env['COUNTERSIGN_TEST_REDIS_URL'];
const silent = { info: () => undefined, warn: () => undefined };

const withRedis = url === undefined ? describe.skip : describe;
withRedis('with Redis (needs Redis: COUNTERSIGN_TEST_REDIS_URL)', () => {
  const run = `test-${randomBytes(6).toString('hex')}-`;
  let installations = 0;
  afterAll(() => removeKeys(url ?? '', run));

  const open: OpenCounters = async ({ clock, claimBounds = CLAIM_BOUNDS, ruleBounds = RULE_BOUNDS }) => {
    const prefix = `${run}${(installations += 1)}:`;
    const clients: Counters[] = [];
    const another = async () => {
      const counters = await connectRedisCounters({
        url: url ?? '',
        prefix,
        log: silent,
        deadlineMs: 5_000,
        settleMs: 0,
        claimBounds,
        ruleBounds,
        testClock: clock,
      });
      clients.push(counters);
      return counters;
    };
    const counters = await another();
    return { counters, another, cleanup: async () => void (await Promise.all(clients.map((one) => one.close()))) };
  };

  countersContract('on Redis', open);
  countersModelContract('on Redis', open);
});

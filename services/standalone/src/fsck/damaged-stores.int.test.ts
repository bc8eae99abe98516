import { describeRebuild } from './rebuild/rebuild.contract.js';
import { describeDamagedRows } from './rows/damaged-rows.contract.js';
import { SmallInstance } from './testing/small-instance.js';

describe('the stores of a stopped instance', () => {
  const small = new SmallInstance();
  beforeAll(() => small.make(), 120_000);
  afterAll(() => small.discard());

  describeDamagedRows(small);
  describeRebuild(small);
});

import type { PackageEvent } from '@countersign/contracts';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { MOST_REDECIDED } from '../most-redecided.js';
import { redecisionOf } from './redecision-of.js';

const UNFROZEN = {
  event: { type: 'agent.unfrozen', eventId: 'a', agentId: 'b', refersTo: null },
  ...{ sequence: 1, opened: {} },
} as unknown as PackageEvent;
const BROKEN = { ...UNFROZEN, event: null } as unknown as PackageEvent;

describe('what a package states of its verdicts', () => {
  const failures: unknown[] = [];
  const stated = (events: readonly PackageEvent[]): unknown =>
    redecisionOf(events, nodeCrypto, (error) => failures.push(error));
  beforeEach(() => void failures.splice(0));

  it('is computed up to the most events, and left out above', () => {
    const most = Array.from({ length: MOST_REDECIDED }, () => UNFROZEN);
    expect(stated(most)).toMatchObject({ totals: { checks: 0 } });
    expect(stated([...most, UNFROZEN])).toBeNull();
    expect(failures).toEqual([]);
  });

  it('is left out where computing it fails, and the failure is passed on', () => {
    expect(stated([BROKEN])).toBeNull();
    expect(failures).toEqual([expect.any(TypeError)]);
  });
});

import { ONCE_MS } from '../port.js';
import { UsedOnce } from './used-once.js';

describe('names used once, in process', () => {
  it('are kept for their time, and no longer', () => {
    const once = new UsedOnce();
    const use = (nowMs: number) => once.use({ name: 'a', by: null, madeMs: 1 }, nowMs);
    expect([use(0), use(ONCE_MS - 1), use(ONCE_MS), use(ONCE_MS)]).toEqual(['first', 'used', 'first', 'used']);
  });

  it('are refused where there is no room', () => {
    const once = new UsedOnce(2);
    const use = (name: string, nowMs: number) => once.use({ name, by: null, madeMs: 1 }, nowMs);
    expect([use('a', 0), use('b', 1), use('c', 2), use('a', 2)]).toEqual(['first', 'first', 'full', 'used']);
    expect(use('c', ONCE_MS)).toBe('first');
  });
});

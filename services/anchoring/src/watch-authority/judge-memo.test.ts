import { reportMemo, windowMemo } from '@countersign/evidence';
import { judgeMemo, windowOf } from './judge-memo.js';

const root = 'ab'.repeat(32);

describe('judgeMemo', () => {
  it('knows the window that a memo speaks of', () => {
    const memo = {
      root,
      prev: null,
      windowStart: '2026-03-01T10:00:00.000Z',
      durationSeconds: 300,
      agents: 1,
      events: 2,
    };
    expect(windowOf(windowMemo(memo))).toEqual({
      cadenceSeconds: 300,
      startMs: Date.parse('2026-03-01T10:00:00.000Z'),
      root,
    });
    expect(windowOf(reportMemo(root))).toBeNull();
    expect(windowOf('hello')).toBeNull();
  });

  it('takes our root, also a second time, and nothing else', () => {
    expect(judgeMemo(root, root)).toBeNull();
    expect(judgeMemo(root, 'cd'.repeat(32))).toBe('other-root');
    expect(judgeMemo(root, null)).toBe('unknown-window');
  });
});

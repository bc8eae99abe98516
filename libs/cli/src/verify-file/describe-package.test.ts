import fc from 'fast-check';
import { describePackage, oneLine } from './describe-package.js';

describe('the title of a package', () => {
  it('names the report, its range, its figures and its time', () => {
    const lines = describePackage({
      reportId: 'r',
      range: { from: 'a', to: 'b' },
      summary: { events: 3, allowed: 2, denied: 1, gap: 0 },
      timestamp: { issued_at: 't', anchor: 'pending' },
    });
    expect(lines).toEqual([
      'report r',
      'events from a to b',
      '3 events: 2 allowed, 1 denied, 0 to review',
      'issued at t, anchor pending',
    ]);
  });

  it.each([
    [{ range: null }],
    [{ summary: null, timestamp: 5 }],
    [{ range: { from: { toString: 1 }, to: [] } }],
    [null],
    ['text'],
  ])('accepts %j, which is not a package', (value) => {
    expect(() => describePackage(value)).not.toThrow();
  });

  it('accepts any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (range, summary) => {
        describePackage({ range, summary, timestamp: summary, reportId: range });
      }),
    );
  });
});

describe('a line with text from a file', () => {
  it('cannot control the terminal, nor imitate another line', () => {
    expect(oneLine('a\u001b[2J\u001b[HVERIFIED\nb\u202ec\u009b1m')).toBe('a�[2J�[HVERIFIED�b�c�1m');
  });

  it('ends', () => {
    expect(oneLine('x'.repeat(1000))).toHaveLength(401);
  });
});

import { toneOf } from './many-verdict.js';

const NONE = { of: 5, holds: 0, partly: 0, waiting: 0, refused: [], failed: [], reason: '' };

it('several events are green only if every anchored one was verified and holds', () => {
  expect(toneOf({ ...NONE, holds: 5 }, false)).toBe('good');
  expect(toneOf({ ...NONE, holds: 3, waiting: 2 }, false)).toBe('good');
  // Nothing was verified.
  expect(toneOf({ ...NONE, of: 0 }, false)).toBe('plain');
  expect(toneOf({ ...NONE, waiting: 5 }, false)).toBe('plain');
  // Not everything was.
  expect(toneOf({ ...NONE, holds: 4, partly: 1 }, false)).toBe('held');
  expect(toneOf({ ...NONE, holds: 4, failed: ['a'] }, false)).toBe('held');
  expect(toneOf({ ...NONE, holds: 4 }, false)).toBe('held');
  expect(toneOf({ ...NONE, holds: 4 }, true)).toBe('plain');
  expect(toneOf({ ...NONE, holds: 4, refused: ['a'] }, false)).toBe('bad');
  expect(toneOf({ ...NONE, refused: ['a'] }, true)).toBe('bad');
});

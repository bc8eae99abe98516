import { toneOf } from './many-verdict.js';
import { VERIFIED_KINDS } from './verified-kind.js';
import type { VerifiedKind } from './verified-kind.js';

const tone = (of: number, counts: Partial<Record<VerifiedKind, number>>, isRunning = false): string =>
  toneOf(
    {
      of,
      ids: Object.fromEntries(
        VERIFIED_KINDS.map((kind) => [kind, Array.from({ length: counts[kind] ?? 0 }, (_, n) => `${kind}-${n}`)]),
      ) as unknown as Record<VerifiedKind, string[]>,
    },
    isRunning,
  );

it('several events are green only if every anchored one was verified and holds', () => {
  expect(tone(5, { holds: 5 })).toBe('good');
  expect(tone(5, { holds: 3, waiting: 2 })).toBe('good');
  // Nothing was verified.
  expect(tone(0, {})).toBe('plain');
  expect(tone(5, { waiting: 5 })).toBe('plain');
  // Not everything was.
  expect(tone(5, { holds: 4, partly: 1 })).toBe('held');
  expect(tone(5, { holds: 4, failed: 1 })).toBe('held');
  expect(tone(5, { holds: 4 })).toBe('held');
  expect(tone(5, { holds: 4 }, true)).toBe('plain');
  expect(tone(5, { holds: 4, refused: 1 })).toBe('bad');
  expect(tone(5, { refused: 1 }, true)).toBe('bad');
});

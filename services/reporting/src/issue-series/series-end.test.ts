import type { EventArchive } from '@countersign/contracts';
import { seriesEnd } from './series-end.js';

const at = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** Agents whose events have these times, in the order of their numbers. */
function archiveOf(agents: Readonly<Record<string, readonly number[]>>): EventArchive {
  return {
    span: async (id: string, from: string, to: string) => {
      const inside = (agents[id] ?? []).flatMap((time, i) => (at(time) >= from && at(time) < to ? [i + 1] : []));
      return inside.length === 0 ? null : { first: inside[0]!, last: inside.at(-1)! };
    },
    range: async (id: string, first: number) => [{ envelope: { leaf: { occurredAt: at(agents[id]![first - 1]!) } } }],
  } as unknown as EventArchive;
}

describe('the end of a package of a series', () => {
  it('is the whole range where that fits', async () => {
    expect(await seriesEnd(archiveOf({ a: [1, 2, 3] }), ['a'], at(0), at(100), 3)).toBe(at(100));
  });

  it('is the latest with as many events as fit', async () => {
    const archive = archiveOf({ a: [1, 2, 3, 4], b: [1.5, 2.5] });
    expect(await seriesEnd(archive, ['a', 'b'], at(0), at(100), 4)).toBe(at(3));
  });

  it('leaves no number between two packages that has a time outside of the series', async () => {
    // Number 3 was written by a clock that was a day ahead: it must be surrounded by one package.
    const archive = archiveOf({ a: [1, 2, 86_400, 4, 5, 6] });
    const end = await seriesEnd(archive, ['a'], at(0), at(100), 2);
    expect(end).toBe(at(2));
    expect(await archive.span('a', at(0), end)).toEqual({ first: 1, last: 1 });
    expect(await archive.span('a', end, at(100))).toEqual({ first: 2, last: 6 });
  });

  it('is none where one instant has more events than a package holds', async () => {
    const archive = archiveOf({ a: [1, 1, 1, 2] });
    await expect(seriesEnd(archive, ['a'], at(1), at(100), 2)).rejects.toMatchObject({ status: 400 });
  });
});

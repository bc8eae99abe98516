import type { EventArchive } from '@countersign/contracts';
import { collectRun, TooManyEvents } from './collect-events.js';
import { fittingRange } from './fitting-range.js';

/** One event a second from the epoch on. */
const archive: Pick<EventArchive, 'span' | 'range'> = {
  span: (_agent, from, to) => {
    const first = Math.ceil(Date.parse(from) / 1000);
    const last = Math.ceil(Date.parse(to) / 1000) - 1;
    return Promise.resolve(last < first ? null : { first: first + 1, last: last + 1 });
  },
  range: (_agent, first, last, limit) =>
    Promise.resolve(
      Array.from({ length: Math.min(limit, last - first + 1) }, (_, i) => ({ sequence: first + i }) as never),
    ),
};
const at = (seconds: number): string => new Date(seconds * 1000).toISOString();

describe('the range that fits', () => {
  it('is the longest with the given number of events', async () => {
    const to = await fittingRange(archive, ['a', 'b'], at(0), at(1000), 100);
    expect(to).toBe(at(50));
  });

  it('is none if the first instant already has too many', async () => {
    const crowd = { ...archive, span: () => Promise.resolve({ first: 1, last: 500 }) } as unknown as EventArchive;
    expect(await fittingRange(crowd, ['a'], at(0), at(1), 100)).toBeNull();
  });
});

describe('the run of an agent', () => {
  it('is read in pages without a gap', async () => {
    const run = await collectRun(archive as EventArchive, 'a', at(0), at(2500), 10_000);
    expect(run.events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 2500 }, (_, i) => i + 1));
  });

  it('is refused beyond the budget', async () => {
    await expect(collectRun(archive as EventArchive, 'a', at(0), at(2500), 100)).rejects.toThrow(TooManyEvents);
  });

  it('fails at a gap in the archive instead of leaving events out', async () => {
    const holed = {
      ...archive,
      range: async (agent: string, first: number, last: number, limit: number) =>
        (await archive.range(agent, first, last, limit)).filter(({ sequence }) => sequence !== 1500),
    } as unknown as EventArchive;
    await expect(collectRun(holed, 'a', at(0), at(2500), 10_000)).rejects.toThrow('1500');
  });
});

import { BodyBudget } from './body-budget.js';
import { RawBody, SegmentWriter } from './raw-body.js';

function written(chunks: readonly Uint8Array[]): RawBody {
  const writer = new SegmentWriter();
  for (const chunk of chunks) writer.add(chunk);
  const segments = writer.end();
  return new RawBody(
    segments,
    chunks.reduce((sum, { length }) => sum + length, 0),
    new BodyBudget(1).share('a'),
  );
}

describe('a raw body', () => {
  it.each([
    ['nothing', []],
    ['one small chunk', [3]],
    ['single bytes', Array.from({ length: 40_000 }, () => 1)],
    ['chunks of every size', [1, 70_000, 3, 300_000, 1_000_000, 0, 5]],
  ])('holds exactly what was sent: %s', (_what, sizes) => {
    let next = 0;
    const chunks = sizes.map((size) => Uint8Array.from({ length: size }, () => next++ % 251));
    const body = written(chunks);
    expect(Buffer.from(body.joined()).equals(Buffer.concat(chunks))).toBe(true);
  });

  it('owns the memory of its segments, so that they can be transferred', () => {
    const shared = new Uint8Array(100).fill(7);
    const { segments } = written([shared.subarray(0, 50), shared.subarray(50)]);
    const own = segments.every(
      ({ buffer, byteLength }) => buffer !== shared.buffer && buffer.byteLength === byteLength,
    );
    expect(own).toBe(true);
    shared.fill(0);
    expect(segments.flatMap((segment) => [...segment])).toEqual(Array.from({ length: 100 }, () => 7));
  });

  it('is few segments, however it arrives', () => {
    expect(written(Array.from({ length: 2000 }, () => new Uint8Array(1000))).segments.length).toBeLessThan(12);
  });
});

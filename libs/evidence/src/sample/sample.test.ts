import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { nodeCrypto } from '../../vectors/node-crypto.mjs';
import { checkSample } from './check-sample.js';
import { drawSample } from './draw-sample.js';
import { readSampledPackage, type SampledPackage } from './population.js';
import { readSample } from './read-sample.js';
import { blockBound, type Sample, type SampleRequest } from './rule.js';

const { sha256 } = nodeCrypto;
const vector = (name: string): ReturnType<typeof JSON.parse> =>
  JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), 'utf8')).package;

function open(pkg: unknown): SampledPackage {
  const reading = readSampledPackage(pkg, sha256);
  if (!reading.ok) throw new Error(reading.problem);
  return reading.value;
}

const airline = open(vector('valid-airline'));
const anchor = { ...airline.anchor!, slot: 1000 };
const block = { slot: 1032, blockhash: '7'.repeat(43), blockTime: Date.parse(airline.facts.range.to) / 1000 };
const request = (size: number): SampleRequest => ({ size, population: 'events', notBefore: null });
const draw = (size: number, blockhash = block.blockhash): Sample =>
  drawSample(airline, request(size), anchor, { ...block, blockhash }, sha256);

const blockhashes = fc.string({ unit: fc.constantFrom(...'123456789ABCDEFGH'), minLength: 43, maxLength: 44 });

describe('a sample', () => {
  it('is what the rule says, computed again from its text alone', () => {
    const hash = (...parts: (string | Buffer)[]): Buffer => {
      const made = createHash('sha256');
      for (const part of parts) made.update(part);
      return made.digest();
    };
    const { contentHash } = airline.facts;
    const seed = hash(`countersign/sample/1 block=${block.blockhash} package=${contentHash}`);
    const inRange = vector('valid-airline').events.filter((one: { outsideRange?: true }) => one.outsideRange !== true);
    const ids: string[] = inRange.map(({ event }: { event: { eventId: string } }) => event.eventId);
    const order = [...ids].sort((a, b) => Buffer.compare(hash(seed, a), hash(seed, b)));
    const sample = draw(4);
    expect(sample.seed).toBe(seed.toString('hex'));
    expect(sample.populationSize).toBe(ids.length);
    expect(sample.selected.map(({ eventId }) => eventId)).toEqual(order.slice(0, 4));
  });

  it('leaves out what lies outside of the range', () => {
    const outside = vector('valid-airline').events.filter((one: { outsideRange?: true }) => one.outsideRange === true);
    expect(outside.length).toBeGreaterThan(0);
    const drawn = new Set(draw(1000).selected.map(({ eventId }) => eventId));
    for (const { event } of outside) expect(drawn.has(event.eventId)).toBe(false);
  });

  it('has the requested size or all there are, no event twice, and begins like every smaller one', () => {
    fc.assert(
      fc.property(blockhashes, fc.integer({ min: 1, max: 40 }), (blockhash, size) => {
        const { selected, populationSize } = draw(size, blockhash);
        expect(selected).toHaveLength(Math.min(size, populationSize));
        expect(new Set(selected.map(({ eventId }) => eventId)).size).toBe(selected.length);
        expect(draw(Math.ceil(size / 2), blockhash).selected).toEqual(selected.slice(0, Math.ceil(size / 2)));
      }),
      { numRuns: 60 },
    );
  });

  it('draws each event about equally often', () => {
    const counts = new Map<string, number>();
    const turns = 2000;
    for (let n = 0; n < turns; n += 1) {
      const [first] = draw(1, `1${n}`).selected;
      counts.set(first!.eventId, (counts.get(first!.eventId) ?? 0) + 1);
    }
    const each = turns / airline.members.length;
    expect(counts.size).toBe(airline.members.length);
    const chiSquare = airline.members.reduce((sum, { eventId }) => sum + (counts.get(eventId)! - each) ** 2 / each, 0);
    // The seeds are the same on every run; a fair draw exceeds this once in a million.
    expect(chiSquare).toBeLessThan(airline.members.length + 6 * Math.sqrt(2 * airline.members.length));
  });

  it('differs with any other block, and with any other content', () => {
    expect(draw(5, '8'.repeat(43)).seed).not.toBe(draw(5).seed);
    const changed = vector('valid-airline');
    changed.reportId = changed.reportId.replace(/.$/, (end: string) => (end === '0' ? '1' : '0'));
    const other = drawSample(open(changed), request(5), anchor, block, sha256);
    expect(other.seed).not.toBe(draw(5).seed);
    expect(checkSample(draw(5), open(changed), sha256)[0]?.code).toBe('sample-package-differs');
  });

  it('is found wrong with any of its members changed', () => {
    const paths = [
      ['package', 'sha256'],
      ['anchor', 'network'],
      ['block', 'blockhash'],
      ['seed'],
      ['selected', '0', 'draw'],
      ['selected', '1', 'agentId'],
      ['selected', '2', 'type'],
    ];
    for (const path of paths) {
      const sample = JSON.parse(JSON.stringify(draw(3)));
      const holder = path.slice(0, -1).reduce((at, name) => at[name], sample);
      const name = path.at(-1)!;
      holder[name] = (holder[name] as string).replace(/.$/, (end) => (end === '1' ? '2' : '1'));
      expect([path, checkSample(sample as Sample, airline, sha256).length > 0]).toEqual([path, true]);
    }
  });

  it('starts its block after the transaction, the range and the requested time', () => {
    const { range } = airline.facts;
    expect(blockBound(range, request(1), 7)).toEqual({ fromSlot: 39, notBeforeMs: Date.parse(range.to) });
    const later = { ...request(1), notBefore: '2027-01-01T00:00:00.000Z' };
    expect(blockBound(range, later, 7).notBeforeMs).toBe(Date.parse('2027-01-01T00:00:00.000Z'));
  });
});

describe('a sample as JSON', () => {
  it('is read by its form', () => {
    const sample = JSON.parse(JSON.stringify(draw(3)));
    expect(readSample(sample)).toEqual({ ok: true, value: draw(3) });
    expect(readSample({ ...sample, rule: 'countersign/sample/2' })).toMatchObject({ ok: false });
    expect(readSample({ ...sample, block: { ...block, blockhash: '0' } })).toMatchObject({ ok: false });
    expect(readSample(null)).toEqual({ ok: false, problem: 'sample must be an object' });
  });

  it.each([
    ['no object', []],
    ['no range', { ...vector('valid-small'), range: {} }],
    ['no events', { ...vector('valid-small'), events: null }],
    ['an event that is none', { ...vector('valid-small'), events: [{ sequence: 1 }] }],
    [
      'a sequence that is none',
      { ...vector('valid-small'), events: [{ ...vector('valid-small').events[0], sequence: 0 }] },
    ],
    ['an event twice', { ...vector('valid-small'), events: Array(2).fill(vector('valid-small').events[0]) }],
  ])('is refused as a package with %s', (_what, pkg) => {
    expect(readSampledPackage(pkg, sha256)).toMatchObject({ ok: false, problem: expect.any(String) });
  });
});

import { FRAMEWORKS, type Coverage, type CoverageQuery } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { GOLDEN_ARCHIVE, GOLDEN_RANGE, goldenPackage } from '../issue-report/golden-packages.test-kit.js';
import { loadControlMapping, rowKey } from '../mapping/control-mapping.js';
import { assessedEvents, type CoverageRange } from './assessed-events.js';
import { countCoverage, daysOf } from './count-coverage.js';
import { coveringEvents } from './covering-events.js';

const mapping = loadControlMapping(nodeCrypto);
const RANGE: CoverageRange = { ...GOLDEN_RANGE, frameworks: FRAMEWORKS };
const count = (by: CoverageQuery['by'], range = RANGE): Promise<Omit<Coverage, 'asOf'>> =>
  countCoverage(GOLDEN_ARCHIVE, mapping, range, by);
const DAY = 86_400_000;

describe('the coverage of a range', () => {
  it('counts for each control the events, and their statuses, that the package of the range states', async () => {
    const { events } = await goldenPackage(FRAMEWORKS);
    const coverage = await count('control');
    expect(coverage.events).toBe(events.length);
    for (const control of coverage.controls) {
      const own = events.filter(({ controls }) => controls.some((one) => rowKey(one) === rowKey(control)));
      const withStatus = (status: string): number => own.filter((event) => event.status === status).length;
      expect([control.controlId, control.events]).toEqual([control.controlId, own.length]);
      expect([control.satisfied, control.prevented, control.gap]).toEqual(
        ['Satisfied', 'Prevented', 'Gap, review required'].map(withStatus),
      );
      const times = own.map(({ event }) => event.occurredAt).sort();
      expect(control.lastAt).toBe(times.at(-1) ?? null);
    }
    expect(coverage.controls.filter(({ gap }) => gap > 0).length).toBeGreaterThan(10);
    expect(coverage.mapping).toEqual({ version: mapping.version, sha256: mapping.sha256 });
  });

  it.each(['day', 'agent'] as const)('by %s has cells whose sums are the counts of the controls', async (by) => {
    const { controls, columns, cells } = await count(by);
    expect(columns).toEqual(by === 'day' ? ['2026-03-02'] : GOLDEN_RANGE.agentIds);
    controls.forEach(({ events, gap }, index) => {
      const own = cells.filter(({ control }) => control === index);
      const sum = (of: 'events' | 'gap'): number => own.reduce((all, cell) => all + cell[of], 0);
      expect([sum('events'), sum('gap')]).toEqual([events, gap]);
    });
  });

  it('names every control, also those that no event is evidence for', async () => {
    const nothing = { ...RANGE, to: new Date(Date.parse(RANGE.from) + 1).toISOString() };
    const { controls, events } = await count('control', nothing);
    expect(events).toBe(0);
    expect(controls.map(rowKey)).toEqual(mapping.controlsOf(FRAMEWORKS).map(rowKey));
    expect(new Set(controls.map(({ state }) => state))).toEqual(new Set(['not_shown']));
  });

  it('lists exactly the events that it counts, by control, relation and status', async () => {
    const { controls } = await count('control');
    for (const { framework, controlId, relation, events, gap } of controls) {
      const range = { ...RANGE, frameworks: [framework] };
      const listed = await coveringEvents(GOLDEN_ARCHIVE, mapping, range, { controlId, relation });
      expect([controlId, listed.length]).toEqual([controlId, events]);
      expect([...listed].sort((a, b) => b.sequence - a.sequence)).toEqual(listed);
      const gaps = { controlId, relation, status: 'Gap, review required' } as const;
      expect(await coveringEvents(GOLDEN_ARCHIVE, mapping, range, gaps)).toHaveLength(gap);
    }
  });

  it('leaves out events outside of the range that lie between those inside', async () => {
    const start = Date.parse(RANGE.from);
    const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString();
    const whole = { ...GOLDEN_ARCHIVE, span: async () => ({ first: 1, last: 20 }) };
    const range = { ...RANGE, from: at(60), to: at(120) };
    const times: string[] = [];
    for await (const { event } of assessedEvents(whole, mapping, range)) times.push(event.envelope.leaf.occurredAt);
    expect(times).toEqual([at(60), at(80), at(100)]);
  });

  it('is refused above the bound, with a range that fits', async () => {
    const read = async (): Promise<void> => {
      for await (const _ of assessedEvents(GOLDEN_ARCHIVE, mapping, RANGE, 5)) break;
    };
    const refusal = await read().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(HttpRefusal);
    const { status, message } = refusal as HttpRefusal;
    expect([status, message]).toEqual([
      400,
      `the range holds more than 5 events: from ${RANGE.from} to 2026-03-02T10:02:00.000Z fits`,
    ]);
    const to = /to (\S+) fits/.exec(message)![1]!;
    const fitting: unknown[] = [];
    for await (const one of assessedEvents(GOLDEN_ARCHIVE, mapping, { ...RANGE, to }, 5)) fitting.push(one);
    expect(fitting).toHaveLength(5);
  });

  it('has a column for each day in UTC that the range touches', () => {
    expect(daysOf({ from: '2026-02-27T23:00:00.000Z', to: '2026-03-01T00:00:00.001Z' })).toEqual([
      ...['2026-02-27', '2026-02-28', '2026-03-01'],
    ]);
    const from = new Date(0).toISOString();
    expect(daysOf({ from, to: new Date(3 * DAY).toISOString() })).toHaveLength(3);
  });
});

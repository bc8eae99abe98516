import { median } from '../load/samples.js';
import type { Measurement } from '../throughput/measure.js';
import type { Aim, Row } from '../throughput/report.js';
import { SUBJECT } from './subject-name.js';

const PER_SECOND = 3000;
const P50_MS = 5;

export function aims(rows: readonly Row[]): Aim[] {
  const find = (load: string): Row | undefined => rows.find((row) => row.load === load && row.subject === SUBJECT);
  const [closed, open] = [find('closed loop, 256 connections'), find('open loop, 1,000/s')];
  return [
    ...(closed === undefined
      ? []
      : [{ what: `${SUBJECT}, checks/s, ${closed.load}`, figure: closed.perSecond, atLeast: PER_SECOND }]),
    ...(open === undefined ? [] : [{ what: `${SUBJECT}, p50 ms, ${open.load}`, figure: open.p50, atMost: P50_MS }]),
  ];
}

/** Answers a second relative to the embedded gateway in the same repetition, median. */
export function ratioLine(measurements: readonly Measurement[]): string {
  const closed = measurements.filter(({ load }) => load.kind === 'closed');
  const parts = [...new Set(closed.map(({ load }) => load.kind === 'closed' && load.connections))].map(
    (connections) => {
      const of = (subject: (name: string) => boolean): readonly Measurement[] =>
        closed.filter(
          ({ load, subject: name }) => 'connections' in load && load.connections === connections && subject(name),
        );
      const embedded = of((name) => name.startsWith('gateway alone'));
      const ours = of((name) => name === SUBJECT);
      const ratios = ours.map(({ outcome }, i) => outcome.perSecond / (embedded[i]?.outcome.perSecond ?? Number.NaN));
      return `${median(ratios).toFixed(3)} with ${String(connections)} connections`;
    },
  );
  return `of the embedded gateway: ${parts.join(', ')}`;
}

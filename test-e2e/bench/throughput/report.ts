import { median } from '../load/samples.js';
import type { Measurement } from './measure.js';

/** The median over the repetitions of each figure of one subject under one load. */
export interface Row {
  readonly subject: string;
  readonly load: string;
  readonly perSecond: number;
  readonly ratio: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly cpuMicros: number;
  readonly cpuMicrosWithFollowers: number;
  readonly listed: number | null;
  readonly anchored: number | null;
  readonly failures: number;
  readonly generatorBusy: number;
}

export function rowsOf(measurements: readonly Measurement[]): Row[] {
  const groups = new Map<string, Measurement[]>();
  for (const measurement of measurements) {
    const key = `${nameOf(measurement)} ${measurement.subject}`;
    groups.set(key, [...(groups.get(key) ?? []), measurement]);
  }
  return [...groups.values()].map(rowOf);
}

function rowOf(group: readonly Measurement[]): Row {
  const first = group[0]!;
  const middle = (figure: (measurement: Measurement) => number): number => median(group.map(figure));
  const followers = first.catchUp !== null;
  return {
    subject: first.subject,
    load: nameOf(first),
    perSecond: middle(({ outcome }) => outcome.perSecond),
    ratio: middle(({ ratio }) => ratio),
    p50: middle(({ outcome }) => outcome.latency.p50),
    p99: middle(({ outcome }) => outcome.latency.p99),
    p999: middle(({ outcome }) => outcome.latency.p999),
    cpuMicros: middle(({ cpuMicros }) => cpuMicros),
    cpuMicrosWithFollowers: middle(({ cpuMicrosWithFollowers }) => cpuMicrosWithFollowers),
    listed: followers ? middle(({ catchUp }) => catchUp?.listed ?? Number.NaN) : null,
    anchored: followers ? middle(({ catchUp }) => catchUp?.anchored ?? Number.NaN) : null,
    failures: group.reduce((sum, { outcome }) => sum + failuresOf(outcome.failures), 0),
    generatorBusy: middle(({ outcome }) => outcome.generatorBusy),
  };
}

function failuresOf(failures: Readonly<Record<number, number>>): number {
  return Object.values(failures).reduce((sum, count) => sum + count, 0);
}

function nameOf({ load }: Measurement): string {
  return load.kind === 'closed'
    ? `closed loop, ${load.connections} connections`
    : `open loop, ${load.perSecond.toLocaleString('en')}/s`;
}

type Cell = string | number | null;

/** Heading, width, and content; numbers with this many decimals. */
const COLUMNS: readonly (readonly [string, number, (row: Row) => Cell, number?])[] = [
  ['', 26, ({ subject }) => subject],
  ['answers/s', 10, ({ perSecond }) => Math.round(perSecond).toLocaleString('en')],
  ['of bare', 8, ({ ratio }) => ratio, 3],
  ['p50 ms', 8, ({ p50 }) => p50, 2],
  ['p99 ms', 8, ({ p99 }) => p99, 2],
  ['p99.9 ms', 9, ({ p999 }) => p999, 2],
  ['CPU µs', 7, ({ cpuMicros }) => cpuMicros, 0],
  ['followed', 9, ({ cpuMicrosWithFollowers, listed }) => (listed === null ? null : cpuMicrosWithFollowers), 0],
  ['listed s', 9, ({ listed }) => listed, 1],
  ['anchored s', 11, ({ anchored }) => anchored, 1],
  ['failed', 7, ({ failures }) => failures, 0],
  ['generator', 10, ({ generatorBusy }) => `${Math.round(generatorBusy * 100)}%`],
];

/** Explanation of the columns. */
export const LEGEND = `of bare: of the answers of the bare server in the same repetition
CPU µs, followed: time on a core for each answer, until the last answer and until all that follows from it
listed, anchored: seconds after the last answer until every event is listed, and anchored
generator: part of one core that the load took; near 100% it held the others up
`;

/** One table per load. */
export function tables(rows: readonly Row[]): string {
  const head = COLUMNS.map(([heading, width], i) => aligned(heading, width, i)).join(' ');
  const loads = [...new Set(rows.map(({ load }) => load))];
  return loads
    .map((load) => [load, head, ...rows.filter((row) => row.load === load).map(lineOf), ''].join('\n'))
    .join('\n');
}

function lineOf(row: Row): string {
  const text = (cell: Cell, digits = 0): string =>
    cell === null ? '' : typeof cell === 'number' ? cell.toFixed(digits) : cell;
  return COLUMNS.map(([, width, cell, digits], i) => aligned(text(cell(row), digits), width, i)).join(' ');
}

function aligned(text: string, width: number, column: number): string {
  return column === 0 ? text.padEnd(width) : text.padStart(width);
}

export interface Aim {
  readonly what: string;
  readonly figure: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

export function aimLine({ what, figure, atLeast, atMost }: Aim): string {
  const met = atLeast === undefined ? figure <= (atMost ?? Number.POSITIVE_INFINITY) : figure >= atLeast;
  const aim = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
  return `  ${met ? 'met   ' : 'missed'}  ${what}: ${figure.toFixed(figure < 10 ? 3 : 0)} (${aim})`;
}

/** The project's targets, as far as they were measured. */
export function aims(rows: readonly Row[]): Aim[] {
  const find = (load: string, subject: string): Row | undefined =>
    rows.find((row) => row.load === load && row.subject.startsWith(subject));
  const closed = 'closed loop, 256 connections';
  const open = 'open loop, 5,000/s';
  const ratio = (subject: string, atLeast: number): Aim[] => {
    const row = find(closed, subject);
    return row === undefined ? [] : [{ what: `${subject}, of the bare server, ${closed}`, figure: row.ratio, atLeast }];
  };
  const latency = (subject: string): Aim[] => {
    const row = find(open, subject);
    if (row === undefined) return [];
    return [
      { what: `${subject}, p50 ms, ${open}`, figure: row.p50, atMost: 1 },
      { what: `${subject}, p99 ms, ${open}`, figure: row.p99, atMost: 5 },
    ];
  };
  return [
    ...ratio('gateway alone, 1 core', 0.4),
    ...ratio('whole standalone, 1 core', 0.18),
    ...ratio('whole standalone, 2 cores', 0.25),
    ...['gateway alone, 1 core', 'whole standalone, 1 core', 'whole standalone, 2 cores'].flatMap(latency),
  ];
}

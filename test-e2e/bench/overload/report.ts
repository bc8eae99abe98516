import { REFUSAL_AIM_MS } from '../load/job.js';
import type { Latencies } from '../load/job.js';
import { median } from '../load/samples.js';

/** Figures of one gateway under one open-loop load. */
export interface Overloaded {
  readonly profile: string;
  /** Multiple of its closed-loop rate, or of that of the gateway it is compared with. */
  readonly times: number;
  readonly sentPerSecond: number;
  readonly acceptedPerSecond: number;
  readonly accepted: Latencies;
  readonly refusedPerSecond: number;
  readonly refused: Latencies;
  /** Share of the refused ones that were answered in less than the target, %. */
  readonly refusedInAimPercent: number;
  /** Neither 200 nor 503. */
  readonly others: number;
  /** Peak resident memory, MiB. */
  readonly peakMiB: number;
  /** p99 of the generator's delay. */
  readonly sentLateMs: number;
}

const COLUMNS: readonly (readonly [string, number, (one: Overloaded) => number, number])[] = [
  ['sent/s', 8, ({ sentPerSecond }) => sentPerSecond, 0],
  ['accepted/s', 11, ({ acceptedPerSecond }) => acceptedPerSecond, 0],
  ['p50 ms', 8, ({ accepted }) => accepted.p50, 1],
  ['p99 ms', 8, ({ accepted }) => accepted.p99, 1],
  ['refused/s', 10, ({ refusedPerSecond }) => refusedPerSecond, 0],
  ['p50 ms', 8, ({ refused }) => refused.p50, 1],
  ['p99 ms', 8, ({ refused }) => refused.p99, 1],
  [`<${REFUSAL_AIM_MS}ms %`, 8, ({ refusedInAimPercent }) => refusedInAimPercent, 1],
  ['others', 7, ({ others }) => others, 0],
  ['RSS MiB', 8, ({ peakMiB }) => peakMiB, 0],
  ['late ms', 8, ({ sentLateMs }) => sentLateMs, 1],
];

export const LEGEND = `times: of the answers a second in a closed loop just before; sent/s is what was due
p50, p99: of accepted checks, then of refused ones, from the moment that they were due; <${REFUSAL_AIM_MS}ms %: of refused ones
bare 503: a node:http server on the same core that looks at nothing and refuses everybody, sent as much as embedded was
others: neither 200 nor 503, of all repetitions
RSS: most that was resident under this load
late: p99 of how long after its time a request was sent; part of every latency
Each check brings 10 KB that its agent's output rules read, so that deciding costs far more than sending.
`;

/** A table of the medians over the repetitions, a line for each profile and load. */
export function overloadTable(all: readonly Overloaded[]): string {
  const head = ['profile      times', ...COLUMNS.map(([heading, width]) => heading.padStart(width))].join(' ');
  const lines = [...groups(all)].map(([name, group]) => `${name.padEnd(18)} ${cellsOf(group)}`);
  return [head, ...lines].join('\n');
}

/**
 * Latency of a gateway's refusals at the highest load, relative to a server that does nothing else: the median of
 * the ratios within a repetition.
 */
export function refusalRatio(all: readonly Overloaded[], profile: string, baseline: string): string {
  const most = Math.max(...all.map(({ times }) => times));
  const at = (name: string) => all.filter((one) => one.profile === name && one.times === most);
  const bare = at(baseline);
  const ratioOf = (figure: (one: Overloaded) => number): string =>
    median(at(profile).map((one, i) => figure(one) / figure(bare[i]!))).toFixed(1);
  const p50 = ratioOf(({ refused }) => refused.p50);
  const p99 = ratioOf(({ refused }) => refused.p99);
  return `${profile} at ${most}x to ${baseline}: refused p50 ${p50} times, p99 ${p99} times`;
}

function cellsOf(group: readonly Overloaded[]): string {
  return COLUMNS.map(([, width, figure, digits]) => {
    const value = median(group.map(figure).filter((one) => !Number.isNaN(one)));
    return (Number.isNaN(value) ? '-' : value.toFixed(digits)).padStart(width);
  }).join(' ');
}

function groups(all: readonly Overloaded[]): ReadonlyMap<string, readonly Overloaded[]> {
  const found = new Map<string, Overloaded[]>();
  for (const one of all) {
    const name = `${one.profile.padEnd(12)} ${one.times}x`;
    found.set(name, [...(found.get(name) ?? []), one]);
  }
  return found;
}

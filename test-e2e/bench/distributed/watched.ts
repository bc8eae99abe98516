import type { Load, Outcome } from '../load/job.js';
import { median } from '../load/samples.js';
import type { TimeByPart } from './cpu-profile.js';
import type { BenchServers } from './servers.js';
import type { ServiceUnderTest } from './service.js';

/** Sums of the gateway's own metrics, s, and their labels here. */
const SPANS = [
  ['countersign_check_duration_seconds', 'in the gateway'],
  ['countersign_check_counters_seconds', 'of it to Redis and back'],
  ['countersign_check_append_seconds', 'of it to Kafka and back'],
] as const;

interface Figures {
  readonly load: string;
  /** Mean of each of `SPANS`, ms. */
  readonly spans: readonly number[];
  /** Per answer, µs. */
  readonly kafkaMicros: number;
  readonly redisMicros: number;
  readonly eventsPerAppend: number;
}

/** The gateway's metrics of its waits and the CPU time of its servers, during a load. */
export class Watched {
  readonly #servers: BenchServers;
  readonly #gateway: ServiceUnderTest;
  readonly #figures: Figures[] = [];

  constructor(servers: BenchServers, gateway: ServiceUnderTest) {
    this.#servers = servers;
    this.#gateway = gateway;
  }

  async begin(load: Load): Promise<(outcome: Outcome) => Promise<void>> {
    const metrics = await this.#gateway.metrics();
    const cpu = await this.#servers.cpuSeconds();
    return async ({ answered }) => {
      const cpuNow = await this.#servers.cpuSeconds();
      const metricsNow = await this.#gateway.metrics();
      const grew = (name: string): number => (metricsNow.get(name) ?? Number.NaN) - (metrics.get(name) ?? 0);
      const mean = (name: string): number => grew(`${name}_sum`) / grew(`${name}_count`);
      this.#figures.push({
        load: load.kind === 'closed' ? `${load.connections} connections` : `${load.perSecond}/s`,
        spans: SPANS.map(([name]) => mean(name) * 1000),
        kafkaMicros: ((cpuNow.kafka - cpu.kafka) * 1e6) / answered,
        redisMicros: ((cpuNow.redis - cpu.redis) * 1e6) / answered,
        eventsPerAppend: mean('countersign_append_batch_size'),
      });
    };
  }

  /** Medians over the repetitions. */
  lines(): readonly string[] {
    const loads = [...new Set(this.#figures.map(({ load }) => load))];
    return loads.map((load) => {
      const figures = this.#figures.filter((one) => one.load === load);
      const middle = (figure: (one: Figures) => number, digits: number): string =>
        median(figures.map(figure)).toFixed(digits);
      const spans = SPANS.map(([, label], i) => `${middle((one) => one.spans[i]!, 2)} ms ${label}`).join(', ');
      return (
        `${load}: a check is ${spans}; ${middle((one) => one.eventsPerAppend, 1)} events an append; ` +
        `CPU a check: Kafka ${middle((one) => one.kafkaMicros, 0)} µs, Redis ${middle((one) => one.redisMicros, 0)} µs`
      );
    });
  }
}

/** The profile as microseconds per answer. */
export function whereTimeGoes(times: TimeByPart, answered: number): readonly string[] {
  const total = [...times.values()].reduce((sum, micros) => sum + micros, 0);
  const line = (micros: number, label: string): string => `${(micros / answered).toFixed(1).padStart(8)} µs  ${label}`;
  return [
    'where the time of the gateway goes, 256 connections, by V8’s profiler (main thread)',
    ...[...times].map(([part, micros]) => line(micros, `${part} (${Math.round((micros / total) * 100)}%)`)),
    line(total, 'in all'),
  ];
}

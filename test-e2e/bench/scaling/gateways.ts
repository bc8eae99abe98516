import type { BenchInstallation } from '../distributed/installation.js';
import type { BenchServers } from '../distributed/servers.js';
import { ServiceUnderTest } from '../distributed/service.js';
import type { Load, Outcome } from '../load/job.js';
import type { LoadGenerator } from '../load/load-generator.js';
import { median } from '../load/samples.js';
import { cpuSecondsOf } from '../subjects/process-figures.js';
import { loadOf, MAX_REQUESTS } from '../throughput/measure.js';

/** Combined figures of several gateways. */
export interface GatewayFigures {
  readonly gateways: number;
  readonly load: string;
  readonly perSecond: number;
  /** Of the slower one, ms. */
  readonly p50: number;
  /** CPU time per answer, µs. */
  readonly ownMicros: number;
  readonly kafkaMicros: number;
  readonly redisMicros: number;
  readonly failures: number;
}

const CONNECTIONS = 256;
const OPEN_PER_GATEWAY = 1000;
const WARM_UP_SECONDS = 3;

/** Each gateway gets its load from a generator of its own; the connections of the closed loop are divided. */
export async function measureGateways(
  count: number,
  installation: BenchInstallation,
  servers: BenchServers,
  generators: readonly LoadGenerator[],
  { repetitions, seconds }: { readonly repetitions: number; readonly seconds: number },
): Promise<GatewayFigures[]> {
  const starting = Array.from({ length: count }, () =>
    ServiceUnderTest.start(['gateway'], { core: undefined, env: installation.env }),
  );
  const gateways = await Promise.all(starting);
  try {
    await Promise.all(gateways.map((gateway) => gateway.ready()));
    const shares = { generatorAlone: false };
    const loads: readonly (readonly [string, Load])[] = [
      [`closed loop, ${CONNECTIONS} connections in all`, loadOf('closed', CONNECTIONS / count, shares)],
      [`open loop, ${OPEN_PER_GATEWAY}/s each`, loadOf('open', OPEN_PER_GATEWAY, shares)],
    ];
    const run = (load: Load, runSeconds: number): Promise<Outcome[]> =>
      Promise.all(
        gateways.map((gateway, i) => {
          const target = installation.target(gateway);
          return generators[i]!.run({ target, load, seconds: runSeconds, maxRequests: MAX_REQUESTS });
        }),
      );
    const cpuSeconds = async (): Promise<readonly [number, number, number]> => {
      const { kafka, redis } = await servers.cpuSeconds();
      const own = await Promise.all(gateways.map(({ pid }) => cpuSecondsOf(pid)));
      return [own.reduce((sum, one) => sum + one, 0), kafka, redis];
    };
    await run(loads[0]![1], WARM_UP_SECONDS);
    const figures: GatewayFigures[] = [];
    for (const [label, load] of loads) {
      const measured: GatewayFigures[] = [];
      for (let repetition = 0; repetition < repetitions; repetition += 1) {
        const before = await cpuSeconds();
        const outcomes = await run(load, seconds);
        const after = await cpuSeconds();
        const answered = sum(outcomes, (outcome) => outcome.answered);
        const micros = (i: 0 | 1 | 2): number => ((after[i] - before[i]) * 1e6) / answered;
        measured.push({
          gateways: count,
          load: label,
          perSecond: sum(outcomes, (outcome) => outcome.perSecond),
          p50: Math.max(...outcomes.map(({ latency }) => latency.p50)),
          ownMicros: micros(0),
          kafkaMicros: micros(1),
          redisMicros: micros(2),
          failures: sum(outcomes, ({ failures }) => Object.values(failures).reduce((all, one) => all + one, 0)),
        });
      }
      figures.push(middle(measured));
    }
    return figures;
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
  }
}

function middle(measured: readonly GatewayFigures[]): GatewayFigures {
  const of = (figure: (one: GatewayFigures) => number): number => median(measured.map(figure));
  return {
    ...measured[0]!,
    perSecond: of(({ perSecond }) => perSecond),
    p50: of(({ p50 }) => p50),
    ownMicros: of(({ ownMicros }) => ownMicros),
    kafkaMicros: of(({ kafkaMicros }) => kafkaMicros),
    redisMicros: of(({ redisMicros }) => redisMicros),
    failures: sum(measured, ({ failures }) => failures),
  };
}

function sum<T>(of: readonly T[], figure: (one: T) => number): number {
  return of.reduce((total, one) => total + figure(one), 0);
}

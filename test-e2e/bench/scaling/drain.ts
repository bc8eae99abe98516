import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceUnderTest } from '../distributed/service.js';
import { databaseAt } from '../distributed/servers.js';
import type { BenchServers } from '../distributed/servers.js';
import { cpuSecondsOf } from '../subjects/process-figures.js';

/** Throughput of audit-log processes over a backlog of events. */
export interface Drained {
  readonly processes: number;
  /** Between two fifths and nineteen twentieths of the backlog, which excludes startup and the last batch. */
  readonly eventsPerSecond: number;
  /** CPU time per event in that interval, µs: of all our processes, the store, the broker. */
  readonly ownMicros: number;
  /** The same without the idle time of the processes: with a slow store the larger part. */
  readonly ownMicrosWithoutIdle: number;
  readonly storeMicros: number;
  readonly brokerMicros: number;
  /** Cores used by the store: near 1 it was the bottleneck. */
  readonly storeBusy: number;
  /** Share of a core that each idle process uses. */
  readonly idleBusy: number;
}

interface Sample {
  readonly at: number;
  readonly left: number;
  readonly own: number;
  readonly store: number;
  readonly broker: number;
}

const PARTITIONS = 12;
const LAG = /^countersign_consumer_lag_messages\{.*partition="agent-events\/(\d+)".*\}$/;
const FROM = 0.6;
const TO = 0.05;
const LONGEST_MS = 600_000;
/** Sampling costs time as well. */
const SAMPLE_EVERY_MS = 500;
const IDLE_SAMPLES = 8;

/** Starts this many on an empty store; resolves when the backlog is stored and they have ended. */
export async function drain(
  processes: number,
  events: number,
  env: Readonly<Record<string, string>>,
  servers: BenchServers,
  database: string,
): Promise<Drained> {
  const own = { ...env, MONGODB_URI: databaseAt(env['MONGODB_URI'] ?? '', database).href };
  const instances = await Promise.all(
    Array.from({ length: processes }, () => ServiceUnderTest.start(['audit-log'], { core: undefined, env: own })),
  );
  try {
    const samples: Sample[] = [];
    const until = performance.now() + LONGEST_MS;
    for (;;) {
      const left = await eventsLeft(instances);
      if (left !== null) samples.push(await sample(left, instances, servers));
      if (left === 0) return figures(processes, events, samples, await idle(instances, servers));
      if (performance.now() > until) throw new Error(`${String(left)} events still wait after ${LONGEST_MS / 1000} s`);
      await sleep(SAMPLE_EVERY_MS);
    }
  } finally {
    await Promise.all(instances.map((instance) => instance.stop()));
  }
}

/** `null` while a partition is unassigned, or while two processes claim it. */
async function eventsLeft(instances: readonly ServiceUnderTest[]): Promise<number | null> {
  const lags = await Promise.all(
    instances.map(async (instance) =>
      [...(await instance.metrics())].flatMap(([name, lag]) => {
        const partition = LAG.exec(name)?.[1];
        return partition === undefined ? [] : [{ partition, lag }];
      }),
    ),
  );
  const all = lags.flat();
  const known = new Set(all.map(({ partition }) => partition));
  if (known.size < PARTITIONS || all.length > PARTITIONS) return null;
  return all.reduce((sum, { lag }) => sum + lag, 0);
}

async function sample(left: number, instances: readonly ServiceUnderTest[], servers: BenchServers): Promise<Sample> {
  const { kafka, mongo } = await servers.cpuSeconds();
  const own = await Promise.all(instances.map(({ pid }) => cpuSecondsOf(pid)));
  const sum = own.reduce((total, seconds) => total + seconds, 0);
  return { at: performance.now(), left, own: sum, store: mongo, broker: kafka };
}

/** Share of a core that all of them use together while idle; sampled at the same rate. */
async function idle(instances: readonly ServiceUnderTest[], servers: BenchServers): Promise<number> {
  const before = await sample(0, instances, servers);
  for (let samples = 0; samples < IDLE_SAMPLES; samples += 1) {
    await sleep(SAMPLE_EVERY_MS);
    await eventsLeft(instances);
  }
  const after = await sample(0, instances, servers);
  return ((after.own - before.own) * 1000) / (after.at - before.at);
}

function figures(processes: number, events: number, samples: readonly Sample[], idleCores: number): Drained {
  const first = samples.find(({ left }) => left <= events * FROM);
  const last = samples.find(({ left }) => left <= events * TO);
  if (first === undefined || last === undefined || first.left === last.left) {
    throw new Error(`${events} events were stored too fast to be measured: take more`);
  }
  const stored = first.left - last.left;
  const seconds = (last.at - first.at) / 1000;
  const micros = (of: (sample: Sample) => number): number => ((of(last) - of(first)) * 1e6) / stored;
  return {
    processes,
    eventsPerSecond: stored / seconds,
    ownMicros: micros(({ own }) => own),
    ownMicrosWithoutIdle: micros(({ own }) => own) - (idleCores * seconds * 1e6) / stored,
    storeMicros: micros(({ store }) => store),
    brokerMicros: micros(({ broker }) => broker),
    storeBusy: (last.store - first.store) / seconds,
    idleBusy: idleCores / processes,
  };
}

import { join } from 'node:path';
import { notInstalled } from '#infra/installed.js';
import { makeInstallation } from '../distributed/installation.js';
import { ServiceUnderTest } from '../distributed/service.js';
import { startBenchServers } from '../distributed/servers.js';
import type { Target } from '../load/job.js';
import { LoadGenerator } from '../load/load-generator.js';
import type { BenchOptions } from '../options.js';
import { temporaryFolder } from '../subjects/countersign.js';
import { forgetPeak, memoryOf } from '../subjects/process-figures.js';
import { canPin } from '../subjects/program.js';
import { LONG_PAYLOAD, OUTPUT_PROFILE } from '../subjects/requests.js';
import { MAX_REQUESTS } from '../throughput/measure.js';
import { startBare, startGatewayAlone } from '../throughput/subjects.js';
import { LEGEND, overloadTable, refusalRatio } from './report.js';
import type { Overloaded } from './report.js';

const GATEWAY_CORE = 0;
const OTHERS_CORE = 1;
const TIMES = [1, 2, 3];
const CEILING_CONNECTIONS = 64;
/** More than are ever in flight: a load that waits for a free connection is a closed loop. */
const CONNECTIONS = 4096;
/** Checks that cost far more than sending them, or the generator would be the bottleneck. */
const ASKED = { profile: OUTPUT_PROFILE, payload: LONG_PAYLOAD };
/** Until a gateway has adapted and shed its queue; not counted. */
const LEAD_SECONDS = 3;
const EMBEDDED = 'embedded';
const BARE = 'bare 503';

interface Overloadable {
  readonly profile: string;
  readonly target: Target;
  readonly pid: number;
  /** Nothing else is pinned to the generator's core. */
  readonly generatorAlone: boolean;
}

/** Prints the behaviour of gateways of both profiles at one, two and three times their capacity. */
export async function overload(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const pinned = canPin();
  if (!pinned) print('taskset is missing: nothing is bound to a core, and the figures of one core are not');
  const core = pinned ? GATEWAY_CORE : undefined;
  const folder = await temporaryFolder();
  const generator = new LoadGenerator(pinned ? OTHERS_CORE : undefined);
  const stops: (() => Promise<void>)[] = [];
  try {
    const embedded = await startGatewayAlone(folder.path, core, ASKED);
    stops.push(() => embedded.stop());
    const gateways: Overloadable[] = [{ ...embedded, profile: EMBEDDED, generatorAlone: pinned }];
    if (notInstalled().some((name) => name !== 'toxiproxy')) {
      print('without the distributed profile, whose servers are not installed: npm run infra -- install');
    } else gateways.push(await startDistributed(join(folder.path, 'distributed'), core, stops));
    const bare = await startBare(core, embedded.target, 'refuse');
    stops.push(() => bare.stop());
    const measured: Overloaded[] = [];
    for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
      for (const gateway of gateways) {
        print(`${repetition} of ${options.repetitions}: ${gateway.profile}`);
        measured.push(...(await measureOne(gateway, generator, options.seconds)));
        if (gateway.profile !== EMBEDDED) continue;
        const { times, sentPerSecond } = measured.at(-1)!;
        const like = { ...bare, profile: BARE, generatorAlone: pinned };
        measured.push(await measureAt(like, generator, options.seconds, times, sentPerSecond));
      }
    }
    print(`\nmedians of ${options.repetitions}, ${options.seconds} s each, the first ${LEAD_SECONDS} s not counted\n`);
    print(overloadTable(measured));
    print(`\n${refusalRatio(measured, EMBEDDED, BARE)}`);
    print(`\n${LEGEND}`);
  } finally {
    generator.stop();
    for (const stop of stops.reverse()) await stop().catch(() => undefined);
    await folder.remove();
  }
}

async function startDistributed(
  folder: string,
  core: number | undefined,
  stops: (() => Promise<void>)[],
): Promise<Overloadable> {
  const servers = await startBenchServers();
  stops.push(() => servers.stop());
  const installation = await makeInstallation(servers, folder, ASKED);
  const env = { ...installation.env, COUNTERSIGN_CHECK_DEADLINE_MS: '1000' };
  const gateway = await (await ServiceUnderTest.start(['gateway'], { core, env })).ready();
  stops.push(() => gateway.stop());
  servers.bind(core === undefined ? null : String(OTHERS_CORE));
  return {
    profile: 'distributed',
    target: installation.target(gateway),
    pid: gateway.pid,
    generatorAlone: false,
  };
}

async function measureOne(gateway: Overloadable, generator: LoadGenerator, seconds: number): Promise<Overloaded[]> {
  const { perSecond: ceiling } = await generator.run({
    target: gateway.target,
    maxRequests: MAX_REQUESTS,
    seconds,
    load: { kind: 'closed', connections: CEILING_CONNECTIONS },
  });
  const all: Overloaded[] = [];
  for (const times of TIMES) {
    all.push(await measureAt(gateway, generator, seconds, times, Math.round(ceiling * times)));
  }
  return all;
}

async function measureAt(
  { target, profile, pid, generatorAlone }: Overloadable,
  generator: LoadGenerator,
  seconds: number,
  times: number,
  perSecond: number,
): Promise<Overloaded> {
  await forgetPeak(pid);
  const outcome = await generator.run({
    target,
    maxRequests: MAX_REQUESTS,
    seconds: seconds + LEAD_SECONDS,
    load: { kind: 'open', perSecond, connections: CONNECTIONS, spin: generatorAlone, leadSeconds: LEAD_SECONDS },
  });
  const others = Object.entries(outcome.failures).filter(([status]) => status !== '503');
  return {
    profile,
    times,
    sentPerSecond: perSecond,
    acceptedPerSecond: outcome.perSecond,
    accepted: outcome.latency,
    refusedPerSecond: outcome.refusedPerSecond,
    refused: outcome.refusedLatency,
    refusedInAimPercent: outcome.refusedInAimPercent,
    others: others.reduce((sum, [, count]) => sum + count, 0),
    peakMiB: (await memoryOf(pid)).peak,
    sentLateMs: outcome.sentLateMs,
  };
}

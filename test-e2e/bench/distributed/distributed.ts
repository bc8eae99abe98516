import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LoadGenerator } from '../load/load-generator.js';
import type { BenchOptions } from '../options.js';
import { temporaryFolder } from '../subjects/countersign.js';
import { canPin } from '../subjects/program.js';
import { loadOf, MAX_REQUESTS, measureAll } from '../throughput/measure.js';
import type { PlannedLoad } from '../throughput/measure.js';
import { aimLine, LEGEND, rowsOf, tables } from '../throughput/report.js';
import { startBare, startGatewayAlone } from '../throughput/subjects.js';
import type { Subject } from '../throughput/subjects.js';
import { aims, ratioLine } from './aims.js';
import { profiledTime } from './cpu-profile.js';
import { makeInstallation } from './installation.js';
import type { BenchInstallation } from './installation.js';
import { startBenchServers } from './servers.js';
import { ServiceUnderTest } from './service.js';
import { SUBJECT } from './subject-name.js';
import { whereTimeGoes, Watched } from './watched.js';

const GATEWAY_CORE = 0;
const OTHERS_CORE = 1;
const LOADS: readonly PlannedLoad[] = [
  { kind: 'closed', size: 64 },
  { kind: 'closed', size: 256 },
  { kind: 'open', size: 1000 },
];

/** Prints the figures of one gateway on Kafka and Redis, a bare server and the embedded gateway. */
export async function distributed(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const pinned = canPin();
  if (!pinned) print('taskset is missing: nothing is bound to a core, and the figures of one core are not');
  const core = pinned ? GATEWAY_CORE : undefined;
  const folder = await temporaryFolder();
  const servers = await startBenchServers();
  const apart = new LoadGenerator(pinned ? OTHERS_CORE : undefined);
  const stops: (() => Promise<void>)[] = [];
  try {
    const installation = await makeInstallation(servers, join(folder.path, 'distributed'));
    const embedded = await startGatewayAlone(folder.path, core);
    stops.push(() => embedded.stop());
    const bare = await startBare(core, embedded.target);
    stops.push(() => bare.stop());
    const gateway = await (await ServiceUnderTest.start(['gateway'], { core, env: installation.env })).ready();
    stops.push(() => gateway.stop());
    servers.bind(pinned ? String(OTHERS_CORE) : null);
    const subject = subjectOf(gateway, installation);
    const watched = new Watched(servers, gateway);
    const measurements = await measureAll(
      bare,
      [embedded, subject],
      { apart, anywhere: apart },
      {
        ...options,
        loads: LOADS,
        progress: print,
        watch: async (of, load) => (of === subject ? watched.begin(load) : () => Promise.resolve()),
      },
    );
    const rows = rowsOf(measurements);
    print(`\nmedians of ${options.repetitions}, ${options.seconds} s each; the servers share the generator's core\n`);
    print(tables(rows));
    print(LEGEND);
    for (const line of watched.lines()) print(line);
    await gateway.stop();
    print('');
    for (const line of await profileOnce(installation, join(folder.path, 'profile'), core, apart, options.seconds)) {
      print(line);
    }
    print(`\n${ratioLine(measurements)}\n\naims`);
    for (const aim of aims(rows)) print(aimLine(aim));
  } finally {
    apart.stop();
    await Promise.allSettled(stops.map((stop) => stop()));
    await servers.stop();
    await folder.remove();
  }
}

function subjectOf(gateway: ServiceUnderTest, installation: BenchInstallation): Subject {
  return {
    name: SUBJECT,
    target: installation.target(gateway),
    sharesCores: false,
    generatorAlone: false,
    pid: gateway.pid,
    settle: () => Promise.resolve(null),
    stop: () => gateway.stop(),
  };
}

/** Profiles another gateway with V8's profiler, which has a small overhead. */
async function profileOnce(
  installation: BenchInstallation,
  folder: string,
  core: number | undefined,
  generator: LoadGenerator,
  seconds: number,
): Promise<readonly string[]> {
  await mkdir(folder);
  const nodeArguments = ['--cpu-prof', `--cpu-prof-dir=${folder}`];
  const gateway = await ServiceUnderTest.start(['gateway'], { core, env: installation.env, nodeArguments });
  try {
    await gateway.ready();
    const job = { target: installation.target(gateway), maxRequests: MAX_REQUESTS };
    const load = loadOf('closed', 256, { generatorAlone: false });
    await generator.run({ ...job, load, seconds: 2 });
    const from = process.hrtime.bigint();
    const { answered } = await generator.run({ ...job, load, seconds });
    const to = process.hrtime.bigint();
    await gateway.stop();
    const micros = (moment: bigint): number => Number(moment / 1000n);
    return whereTimeGoes(await profiledTime(folder, micros(from), micros(to)), answered);
  } finally {
    await gateway.stop();
  }
}

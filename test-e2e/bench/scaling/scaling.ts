import { join } from 'node:path';
import { makeInstallation } from '../distributed/installation.js';
import type { BenchInstallation } from '../distributed/installation.js';
import { startBenchServers } from '../distributed/servers.js';
import { ServiceUnderTest } from '../distributed/service.js';
import { LoadGenerator } from '../load/load-generator.js';
import type { BenchOptions } from '../options.js';
import { temporaryFolder } from '../subjects/countersign.js';
import { aimLine } from '../throughput/report.js';
import { drain } from './drain.js';
import type { Drained } from './drain.js';
import { measureGateways } from './gateways.js';

const GATEWAYS = [1, 2] as const;
const CONSUMERS = [1, 2, 4] as const;
const AIM_EVENTS_PER_SECOND = 5000;

/** Prints the gain of a second gateway and of further audit-log processes on this machine, and their cost. */
export async function scaling(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const folder = await temporaryFolder();
  const servers = await startBenchServers();
  const generators = GATEWAYS.map(() => new LoadGenerator(undefined));
  try {
    const installation = await makeInstallation(servers, join(folder.path, 'distributed'));
    print('nothing is bound to a core: gateways, servers and load share all of them\n');
    const events = await backlog(options.events, installation, generators[0]!);
    print(`${whole(events)} events wait; audit-log, on an empty store each time`);
    const drained: Drained[] = [];
    for (const count of CONSUMERS) {
      const one = await drain(count, events, installation.env, servers, `consumers-${count}`);
      drained.push(one);
      print(
        `${count} process${count === 1 ? '  ' : 'es'}: ${whole(one.eventsPerSecond)} events/s; CPU an event: ` +
          `ours ${whole(one.ownMicros)} µs (${whole(one.ownMicrosWithoutIdle)} µs without idling), store ${whole(one.storeMicros)} µs, Kafka ${whole(one.brokerMicros)} µs; ` +
          `the store took ${one.storeBusy.toFixed(2)} cores; an idle process takes ${(one.idleBusy * 100).toFixed(1)}% of one`,
      );
    }
    print('SecantusDB stands for MongoDB: its speed is not MongoDB’s, so what is ours is counted apart\n');
    for (const count of GATEWAYS) {
      const figures = await measureGateways(count, installation, servers, generators, options);
      for (const one of figures) {
        print(
          `${count} gateway${count === 1 ? ' ' : 's'}, ${one.load}: ${whole(one.perSecond)} checks/s, ` +
            `p50 ${one.p50.toFixed(2)} ms, ${one.failures} failed; CPU a check: gateway ${whole(one.ownMicros)} µs, ` +
            `Kafka ${whole(one.kafkaMicros)} µs, Redis ${whole(one.redisMicros)} µs`,
        );
      }
    }
    print('\naims');
    const alone = drained[0]!;
    const cores = (AIM_EVENTS_PER_SECOND * alone.ownMicrosWithoutIdle) / 1e6 + alone.idleBusy;
    const what = `cores of audit-log’s own for ${AIM_EVENTS_PER_SECOND} events/s, from its time an event and its idling`;
    print(aimLine({ what, figure: cores, atMost: 1 }));
  } finally {
    for (const generator of generators) generator.stop();
    await servers.stop();
    await folder.remove();
  }
}

/** Sends this many checks; returns the total number of events. */
async function backlog(events: number, installation: BenchInstallation, generator: LoadGenerator): Promise<number> {
  const gateway = await (await ServiceUnderTest.start(['gateway'], { core: undefined, env: installation.env })).ready();
  try {
    const target = installation.target(gateway);
    const load = { kind: 'closed', connections: 64 } as const;
    const { answered } = await generator.run({ target, load, seconds: 60, maxRequests: events });
    return answered;
  } finally {
    await gateway.stop();
  }
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

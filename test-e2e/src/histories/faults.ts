import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '#infra/processes/ask.js';
import type { Kafka } from '#infra/processes/kafka.js';
import type { Redis } from '#infra/processes/redis.js';
import type { ServiceProcess } from '../topology/service-process.js';
import type { Random } from './random.js';

export const FAULTS = ['gateway', 'flushed', 'redis', 'broker'] as const;
export type Fault = (typeof FAULTS)[number];

/** The processes that faults happen to. */
export interface Struck {
  readonly gateways: readonly ServiceProcess[];
  readonly redis: Redis;
  readonly kafka: Kafka;
}

/** Longer than the deadline of a check. */
const SILENT_MS = 4_000;

/** Lets a fault happen, and resolves when both gateways are ready again. */
export async function happen(fault: Fault, { gateways, redis, kafka }: Struck, random: Random): Promise<void> {
  switch (fault) {
    case 'gateway': {
      const gateway = random.of(gateways);
      await gateway.kill();
      await sleep(random.below(1000));
      gateway.start();
      break;
    }
    case 'flushed':
      await ask(Number(new URL(redis.url).port), Buffer.from('FLUSHALL\r\n'));
      // Before that, no gateway may have noticed.
      await sleep(1000);
      break;
    case 'redis':
      await redis.kill();
      await sleep(random.below(1500));
      await redis.restart();
      await sleep(1000);
      break;
    case 'broker':
      kafka.process.pause();
      await sleep(SILENT_MS);
      kafka.process.resume();
      break;
  }
  await Promise.all(gateways.map((gateway) => gateway.ready()));
}

import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { EventLog } from '../port.js';
import { openKafkaLog } from './open-kafka-log.js';

/**
 * `node dist/kafka/append.bench.js [--brokers a:9092,b:9092] [--seconds 5]`: creates its own topics and does not delete
 * them.
 */
const { values: options } = parseArgs({
  options: {
    brokers: { type: 'string', default: '127.0.0.1:19092' },
    seconds: { type: 'string', default: '5' },
    prefix: { type: 'string', default: `bench-${randomBytes(4).toString('hex')}.` },
  },
});
const brokers = options.brokers.split(',');
const seconds = Number(options.seconds);
const value = JSON.stringify({ filler: 'x'.repeat(587) });
const keys = Array.from({ length: 500 }, () => randomUUID());
const record = (n: number) => ({ topic: 'agent-events' as const, key: keys[n % keys.length] ?? '', value });

function print(what: string, took: number[], elapsedMs: number, cpu: NodeJS.CpuUsage): void {
  took.sort((a, b) => a - b);
  const at = (share: number) => (took[Math.floor(took.length * share)] ?? 0).toFixed(2);
  const rate = Math.round((took.length / elapsedMs) * 1000);
  const core = (((cpu.user + cpu.system) / 1000 / elapsedMs) * 100).toFixed(0);
  console.log(`${what}: ${rate}/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, p99.9 ${at(0.999)} ms, ${core} % of a core`);
}

async function closedLoop(log: EventLog, concurrency: number): Promise<void> {
  const took: number[] = [];
  const begun = performance.now();
  const cpu = process.cpuUsage();
  let n = 0;
  const loop = async () => {
    for (let at = performance.now(); at < begun + seconds * 1000; at = performance.now()) {
      await log.append([record(n++)]);
      took.push(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  print(`${concurrency} at a time, ${value.length} bytes`, took, performance.now() - begun, process.cpuUsage(cpu));
}

/** Poisson arrivals: no append waits for another. */
async function openLoop(log: EventLog, rate: number): Promise<void> {
  const took: number[] = [];
  const under: Promise<void>[] = [];
  const begun = performance.now();
  const cpu = process.cpuUsage();
  let due = begun;
  for (let n = 0; due < begun + seconds * 1000; n++) {
    while (performance.now() < due) await delay(1);
    const at = due;
    under.push(log.append([record(n)]).then(() => void took.push(performance.now() - at)));
    due += (-Math.log(1 - Math.random()) * 1000) / rate;
  }
  await Promise.all(under);
  print(`${rate}/s asked for`, took, performance.now() - begun, process.cpuUsage(cpu));
}

async function consumeAll(log: EventLog): Promise<void> {
  let seen = 0;
  let batches = 0;
  const begun = performance.now();
  const cpu = process.cpuUsage();
  const consumption = await log.consume({
    group: 'bench',
    topics: ['agent-events'],
    mode: 'everyone',
    position: () => null,
    handle: ({ records }) => {
      seen += records.length;
      batches++;
    },
  });
  await consumption.caughtUp();
  const elapsed = performance.now() - begun;
  const used = process.cpuUsage(cpu);
  const perRecord = ((used.user + used.system) / seen).toFixed(1);
  const rate = Math.round((seen / elapsed) * 1000);
  console.log(`consumed ${seen} in ${batches} batches: ${rate}/s, ${perRecord} µs of CPU a record`);
  await consumption.stop();
}

const log = await openKafkaLog({
  brokers,
  clientId: 'bench',
  topicPrefix: options.prefix,
  allowSingleBroker: true,
  sendTimeoutMs: 5000,
  topics: ['agent-events'],
});
await closedLoop(log, 64);
await closedLoop(log, 256);
await closedLoop(log, 1);
await openLoop(log, 1000);
await openLoop(log, 5000);
await consumeAll(log);
await log.close();

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isInstalled } from '../installed.js';
import { ask, kafkaBrokers, mongoAnswers, redisAnswers } from './ask.js';
import { startKafka } from './kafka.js';
import { startMongo } from './mongo.js';
import { startRedis } from './redis.js';
import { ServerProcess } from './server-process.js';
import { startToxiproxy } from './toxiproxy.js';

const installed = isInstalled('kafka', 'mongo', 'redis', 'toxiproxy');
const withServers = installed ? describe : describe.skip;
const portOf = (address: string): number => Number(/:(\d+)(\/|$)/.exec(address.replace(/^\w+:\/\//, ''))![1]);

describe('a server that ends before it answers', () => {
  it('is started three times, and then reported with its output', async () => {
    let attempts = 0;
    const recipe = async () => {
      attempts += 1;
      return {
        name: 'broken',
        readyWithinMs: 5_000,
        prepare: () => undefined,
        command: () => ['sh', '-c', 'echo the port is taken; exit 3'] as const,
        answers: async () => false,
      };
    };
    await expect(ServerProcess.start(recipe)).rejects.toThrow(/^broken ended\nthe port is taken/);
    expect(attempts).toBe(3);
  });
});

withServers(`servers as processes${installed ? '' : ' (needs test-e2e/infra/install.sh)'}`, () => {
  it('redis keeps its data over a restart on the same address, and can be killed and paused', async () => {
    const redis = await startRedis();
    const port = portOf(redis.url);
    const send = async (line: string) => (await ask(port, Buffer.from(`${line}\r\n`))).toString('latin1').trim();
    expect(await send('SET a 1')).toBe('+OK');
    await redis.restart();
    expect(await send('GET a')).toBe('$1\r\n1');
    redis.process.pause();
    await expect(send('PING')).rejects.toThrow('no answer');
    redis.process.resume();
    expect(await send('PING')).toBe('+PONG');
    await redis.kill();
    await expect(redisAnswers(port)).rejects.toThrow();
    await redis.restart();
    expect(await redisAnswers(port)).toBe(true);
    await redis.stop();
    expect(existsSync(redis.process.folder)).toBe(false);
  }, 60_000);

  it('one that is kept is started again with its data when it ends by itself, until it is stopped', async () => {
    const redis = await startRedis();
    const port = portOf(redis.url);
    const said: string[] = [];
    redis.process.keep((line) => said.push(line));
    await ask(port, Buffer.from('SET a 1\r\n'));
    await sleep(1500);
    const { pid } = redis.process;
    process.kill(pid, 'SIGKILL');
    while (!redis.process.runs || redis.process.pid === pid || !(await redisAnswers(port).catch(() => false)))
      await sleep(20);
    expect((await ask(port, Buffer.from('GET a\r\n'))).toString('latin1').trim()).toBe('$1\r\n1');
    await redis.stop();
    await sleep(200);
    expect([redis.process.runs, said.length]).toEqual([false, 1]);
    expect(said[0]).toContain('redis ended by itself');
  }, 60_000);

  it('the store that speaks MongoDB comes back on the same address', async () => {
    const mongo = await startMongo();
    await mongo.kill();
    await expect(mongoAnswers(portOf(mongo.uri))).rejects.toThrow();
    await mongo.restart();
    expect(await mongoAnswers(portOf(mongo.uri))).toBe(true);
    await mongo.stop();
  }, 60_000);

  it('a broker answers directly and through its proxy, and comes back after a kill -9', async () => {
    const { toxiproxy, stop } = await startToxiproxy();
    const kafka = await startKafka({ toxiproxy });
    const [direct, { brokers = '', proxy = '' }] = [portOf(kafka.brokers), kafka.proxied ?? {}];
    expect(await kafkaBrokers(portOf(brokers))).toBe(1);
    await toxiproxy.enable(proxy, false);
    await expect(kafkaBrokers(portOf(brokers))).rejects.toThrow();
    expect(await kafkaBrokers(direct)).toBe(1);
    await toxiproxy.enable(proxy, true);
    const latency = { name: 'slow', type: 'latency', stream: 'downstream', attributes: { latency: 300 } } as const;
    await toxiproxy.poison(proxy, latency);
    const before = Date.now();
    await kafkaBrokers(portOf(brokers));
    expect(Date.now() - before).toBeGreaterThanOrEqual(290);
    await toxiproxy.cure(proxy, 'slow');
    await kafka.kill();
    await expect(kafkaBrokers(direct)).rejects.toThrow();
    await kafka.restart();
    expect(await kafkaBrokers(direct)).toBe(1);
    await kafka.stop();
    await stop();
  }, 120_000);

  it('end, and leave no files, when the process that started them is killed', async () => {
    const entry = new URL('./redis.js', import.meta.url).href;
    const script = `
      const { startRedis } = await import(${JSON.stringify(entry)});
      const { process: server } = await startRedis();
      console.log(JSON.stringify([server.pid, server.folder]));
      setInterval(() => undefined, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const [pid, folder] = JSON.parse(line.toString('utf8')) as [number, string];
    expect([isAlive(pid), existsSync(folder)]).toEqual([true, true]);
    parent.kill('SIGKILL');
    const until = Date.now() + 10_000;
    while ((isAlive(pid) || existsSync(folder)) && Date.now() < until) await sleep(20);
    expect([isAlive(pid), existsSync(folder)]).toEqual([false, false]);
  }, 30_000);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

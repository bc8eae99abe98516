import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** Reports whether this machine can start a Redis of its own. */
export function redisServerInstalled(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0;
}

/** A Redis for one test, with an append-only file as in production, to be broken. */
export class OwnRedis {
  readonly #directory = mkdtempSync(join(tmpdir(), 'counters-redis-'));
  #port = 0;
  #process: ChildProcess | null = null;

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    if (this.#port === 0) this.#port = await freePort();
    const settings = { port: this.#port, bind: '127.0.0.1', dir: this.#directory, appendonly: 'yes', save: '' };
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]);
    this.#process = spawn('redis-server', [...flags, '--appendfsync', 'everysec'], { stdio: 'ignore' });
    for (let tries = 0; tries < 200; tries += 1) {
      if (await this.ask((redis) => redis.ping()).catch(() => null)) return;
      await sleep(25);
    }
    throw new Error('redis-server did not start');
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(signal);
  }

  async kill(): Promise<void> {
    const child = this.#process;
    if (child === null) return;
    this.#process = null;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  /** Simulates a crash of the machine: the end of the append-only file was never written. */
  loseTail(bytes: number): void {
    const folder = join(this.#directory, 'appendonlydir');
    const file = readdirSync(folder).find((name) => name.endsWith('.incr.aof'));
    if (file === undefined) throw new Error('no append-only file');
    const path = join(folder, file);
    truncateSync(path, Math.max(0, statSync(path).size - bytes));
  }

  async ask<T>(question: (redis: Redis) => Promise<T>): Promise<T> {
    const redis = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      return await question(redis);
    } finally {
      redis.disconnect();
    }
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

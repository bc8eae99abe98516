import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withAdmin } from './kafka.test-kit.js';
import { KafkaProxy } from './proxy.test-kit.js';

/** A directory with the jar files of Kafka 4 (`npm run infra -- install` makes one), or `null`. */
export const KAFKA_LIBS = findLibs();

function findLibs(): string | null {
  const mode = process.env['COUNTERSIGN_TEST_INFRA'];
  if (mode === 'off') return null;
  const folder = process.env['COUNTERSIGN_TEST_INFRA_DIR'] ?? join(homedir(), '.cache', 'countersign-infra');
  const libs = process.env['COUNTERSIGN_TEST_KAFKA_LIBS'] ?? join(folder, 'kafka', 'libs');
  if (existsSync(libs)) return libs;
  if (mode === 'required') throw new Error(`COUNTERSIGN_TEST_INFRA=required, but ${libs} is missing`);
  return null;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

type Settings = Readonly<Record<string, string>>;

/** A broker for one test, reachable only through a proxy: it advertises the proxy's address. */
export class TestBroker {
  readonly proxy: KafkaProxy;
  readonly #directory: string;
  readonly #libs: string;
  #process: ChildProcess | null = null;

  private constructor(directory: string, libs: string, proxy: KafkaProxy) {
    this.#directory = directory;
    this.#libs = libs;
    this.proxy = proxy;
  }

  /** `settings` add to or replace the default ones; `format` are further arguments of the storage tool. */
  static async start(
    libs: string,
    settings: Settings | ((usual: Settings) => Settings) = {},
    format: readonly string[] = [],
  ): Promise<TestBroker> {
    const directory = mkdtempSync(join(tmpdir(), 'kafka-'));
    const [port, controller] = [await freePort(), await freePort()];
    const proxy = await KafkaProxy.listen(port);
    const usual: Settings = {
      'process.roles': 'broker,controller',
      'node.id': '1',
      'controller.quorum.voters': `1@127.0.0.1:${controller}`,
      listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`,
      'advertised.listeners': `PLAINTEXT://${proxy.address}`,
      'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      'controller.listener.names': 'CONTROLLER',
      'inter.broker.listener.name': 'PLAINTEXT',
      'log.dirs': join(directory, 'data'),
      'offsets.topic.replication.factor': '1',
      'offsets.topic.num.partitions': '1',
      'group.initial.rebalance.delay.ms': '0',
      'auto.create.topics.enable': 'false',
      'broker.heartbeat.interval.ms': '500',
      'broker.session.timeout.ms': '2000',
    };
    const all = { ...usual, ...(typeof settings === 'function' ? settings(usual) : settings) };
    const lines = Object.entries(all).map(([name, value]) => `${name}=${value}`);
    writeFileSync(join(directory, 'server.properties'), lines.join('\n'));
    const broker = new TestBroker(directory, libs, proxy);
    const storage = broker.#java([
      'kafka.tools.StorageTool',
      'format',
      '-t',
      'MkU3OEVBNTcwNTJENDM2Qg',
      ...format,
      '-c',
    ]);
    const formatted = spawnSync('java', storage, { encoding: 'utf8' });
    if (formatted.status !== 0) throw new Error(`format: ${formatted.stderr}${formatted.stdout}`);
    await broker.run();
    return broker;
  }

  /** Starts it, also after a `kill`; resolves when it answers. */
  async run(): Promise<void> {
    // The pipe closes when this process ends in any way, and ends the broker.
    const guarded = '"$@" & broker=$!; read _; kill -9 $broker; wait $broker';
    const command = ['-c', guarded, 'sh', 'java', ...this.#java(['kafka.Kafka'])];
    this.#process = spawn('sh', command, { stdio: ['pipe', 'ignore', 'ignore'] });
    const deadline = Date.now() + 90_000;
    for (;;) {
      try {
        await withAdmin([this.proxy.address], (admin) => admin.listTopics());
        return;
      } catch (error) {
        if (Date.now() > deadline) throw error;
        await delay(200);
      }
    }
  }

  /** As a crash: nothing is flushed, no client is notified. */
  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = null;
    if (running === null || running.exitCode !== null) return;
    const exit = new Promise((resolve) => running.once('exit', resolve));
    running.stdin?.end();
    await exit;
  }

  async remove(): Promise<void> {
    await this.kill();
    await this.proxy.close();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  #java(main: string[]): string[] {
    const options = [
      '-Xms128m',
      '-Xmx384m',
      '-XX:TieredStopAtLevel=1',
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
    ];
    return [...options, '-cp', join(this.#libs, '*'), ...main, join(this.#directory, 'server.properties')];
  }
}

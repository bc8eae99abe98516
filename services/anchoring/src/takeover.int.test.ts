import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { startLocalnet, type Localnet } from '@countersign/chain';
import type { AnchorFacts, VersionedRecord } from '@countersign/contracts';
import { openKafkaLog, type Consumption, type EventLog } from '@countersign/event-log';
import { Kafka, logLevel } from 'kafkajs';
import { TestDatabase } from './store/mongo-test-database.js';
import { agentId, envelope } from './testing/envelopes.js';

const brokers = process.env['COUNTERSIGN_TEST_KAFKA_BROKERS'];
const mongodb = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const redis = process.env['COUNTERSIGN_TEST_REDIS_URL'];
const available = brokers !== undefined && mongodb !== undefined && redis !== undefined;
const NEEDS =
  'needs Kafka, MongoDB and Redis: COUNTERSIGN_TEST_KAFKA_BROKERS, COUNTERSIGN_TEST_MONGODB_URI, COUNTERSIGN_TEST_REDIS_URL';

/** As services/anchoring/README.md promises. */
const LEASE_MS = 10_000;
/** Margin for a busy machine. */
const BUSY_MS = 20_000;

type WindowFacts = Extract<AnchorFacts, { kind: 'window' }>;

/** One instance of anchoring as it is started for real. */
class Instance {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  leads = false;
  standsBy = false;

  constructor(environment: Record<string, string>) {
    const program = new URL('./main.js', import.meta.url).pathname;
    const env = { PATH: process.env['PATH'] ?? '', ...environment };
    this.#child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#exited = new Promise((resolve) => this.#child.on('exit', resolve));
    createInterface({ input: this.#child.stderr! }).on('line', (line) => {
      if (line.includes('"this instance anchors"')) this.leads = true;
      if (line.includes('"this instance no longer anchors"')) this.leads = false;
      if (line.includes('"this instance stands by"')) this.standsBy = true;
    });
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#child.kill(signal);
    await this.#exited;
    this.leads = false;
  }
}

(available ? describe : describe.skip)(`${available ? 'two instances' : NEEDS}`, () => {
  const prefix = `anchoring-${randomUUID().slice(0, 8)}.`;
  const directory = mkdtempSync(join(tmpdir(), 'anchoring-takeover-'));
  const database = new TestDatabase(mongodb ?? '');
  const windows = new Map<string, WindowFacts>();
  const sent = new Map<string, number>();
  let localnet: Localnet;
  let log: EventLog;
  let following: Consumption;
  let instances: Instance[] = [];
  let n = 0;

  async function until(what: string, holds: () => boolean): Promise<void> {
    for (let tries = 0; tries < 900; tries += 1) {
      if (holds()) return;
      await sleep(100);
    }
    throw new Error(`${what} did not come`);
  }

  const leaders = (): readonly Instance[] => instances.filter(({ leads }) => leads);
  const start = (): Instance =>
    new Instance({
      COUNTERSIGN_PROFILE: 'distributed',
      COUNTERSIGN_DATA_DIR: directory,
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_ALLOW_SINGLE_BROKER: 'true',
      COUNTERSIGN_KAFKA_TOPIC_PREFIX: prefix,
      COUNTERSIGN_REDIS_PREFIX: prefix.replace('.', ':'),
      KAFKA_BROKERS: brokers ?? '',
      MONGODB_URI: database.uri,
      REDIS_URL: redis ?? '',
      SOLANA_RPC_URL: localnet.rpcUrl,
    });

  /** An event for each of some agents. */
  async function append(agents: number): Promise<void> {
    const events = Array.from({ length: agents }, (_, agent) => {
      sent.set(agentId(agent), (sent.get(agentId(agent)) ?? 0) + 1);
      return envelope({ n: (n += 1), agent, occurredAtMs: Date.now() });
    });
    const records = events.map((one) => ({
      topic: 'agent-events' as const,
      key: one.leaf.agentId,
      value: JSON.stringify(one),
    }));
    await log.append(records);
  }

  /** Last anchored sequence of each agent; throws where one does not continue the window before. */
  function anchored(): ReadonlyMap<string, number> {
    const last = new Map<string, number>();
    const inOrder = [...windows.values()].sort((a, b) => a.windowEnd.localeCompare(b.windowEnd));
    for (const [i, window] of inOrder.entries()) {
      expect(window.prev).toBe(inOrder[i - 1]?.merkleRoot ?? '0');
      for (const { agentId: id, firstSequence, lastSequence } of window.agents) {
        expect(firstSequence).toBe((last.get(id) ?? 0) + 1);
        last.set(id, lastSequence);
      }
    }
    return last;
  }
  const allAnchored = (): boolean => {
    const counted = [...windows.values()].reduce((sum, { eventCount }) => sum + eventCount, 0);
    return counted >= [...sent.values()].reduce((sum, count) => sum + count, 0);
  };

  beforeAll(async () => {
    localnet = await startLocalnet({ dir: join(directory, 'ledger'), port: 0, finalityMs: 400 });
    instances = [start(), start()];
    log = await openKafkaLog({
      brokers: brokers!.split(','),
      clientId: 'anchoring-test',
      topicPrefix: prefix,
      allowSingleBroker: true,
      sendTimeoutMs: 10_000,
      topics: ['agent-events', 'anchors'],
    });
    following = await log.consume({
      group: 'test',
      topics: ['anchors'],
      mode: 'everyone',
      position: () => null,
      handle: ({ records }) => {
        for (const { key, value } of records) {
          const facts = (JSON.parse(Buffer.from(value).toString('utf8')) as VersionedRecord<AnchorFacts>).value;
          if (facts?.kind === 'window') windows.set(key, facts);
        }
      },
    });
    await until('a leader and a standby', () => leaders().length > 0 && instances.some((one) => one.standsBy));
  }, 120_000);

  afterAll(async () => {
    for (const instance of instances) await instance.end('SIGKILL');
    await following.stop();
    await log.close();
    await localnet.close();
    await database.drop();
    const admin = new Kafka({ brokers: brokers!.split(','), logLevel: logLevel.NOTHING }).admin();
    await admin.connect();
    await admin.deleteTopics({ topics: (await admin.listTopics()).filter((topic) => topic.startsWith(prefix)) });
    await admin.disconnect();
    rmSync(directory, { recursive: true, force: true });
  }, 60_000);

  it('anchor every event once, in order, while the leader is killed, and while it is stopped', async () => {
    for (let i = 0; i < 3; i += 1) {
      await append(20);
      await sleep(700);
    }
    await until('anchors', allAnchored);
    expect(leaders()).toHaveLength(1);

    const [killed] = leaders();
    await append(20);
    await killed!.end('SIGKILL');
    const killedAt = performance.now();
    instances = instances.filter((one) => one !== killed);
    await append(20);
    await until('another leader', () => leaders().length === 1);
    expect(performance.now() - killedAt).toBeLessThan(LEASE_MS + BUSY_MS);
    await until('anchors of what came while no instance led', allAnchored);

    instances.push(start());
    await until('a standby', () => instances.at(-1)!.standsBy);
    await append(20);
    const [stopped] = leaders();
    await stopped!.end('SIGTERM');
    const ended = performance.now();
    instances = instances.filter((one) => one !== stopped);
    await until('the next leader', () => leaders().length === 1);
    // It was given the lead, and did not wait for the lease of 10 s.
    expect(performance.now() - ended).toBeLessThan(5_000);
    await append(20);
    await until('all anchors', allAnchored);
    expect(anchored()).toEqual(sent);
  }, 240_000);
});

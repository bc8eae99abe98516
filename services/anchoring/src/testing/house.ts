import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnchorFacts, EventEnvelope, VersionedRecord } from '@countersign/contracts';
import { openSqliteLog, type EventLog, type NewRecord } from '@countersign/event-log';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { ServiceContext } from '@countersign/service-kit';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { WindowCloser } from '../close-windows/window-closer.js';
import { WindowCutter } from '../cut-windows/window-cutter.js';
import { CutGate } from '../intake/cut-gate.js';
import { LeafIntake } from '../intake/leaf-intake.js';
import { AnchorPublisher } from '../publish/anchor-publisher.js';
import type { AnchorStore } from '../store/port.js';
import { openSqliteAnchorStore } from '../store/sqlite.js';

export type OpenStore = (directory: string) => Promise<AnchorStore>;

export interface HouseOptions {
  readonly log?: EventLog;
  readonly openStore?: OpenStore;
}

export const sqliteStore: OpenStore = async (directory) =>
  openSqliteAnchorStore(join(directory, 'anchors.db'), nodeCrypto.sha256);

/** anchoring without its loops and without Nest: a real log and store in one folder, a clock that tests set. */
export class House {
  readonly directory = mkdtempSync(join(tmpdir(), 'anchoring-'));
  nowMs = 1_790_000_000_500;
  log!: EventLog;
  store!: AnchorStore;
  intake!: LeafIntake;
  cutter!: WindowCutter;
  closer!: WindowCloser;
  publisher!: AnchorPublisher;
  context!: ServiceContext;

  readonly #openStore: OpenStore;

  constructor(openStore: OpenStore) {
    this.#openStore = openStore;
  }

  /** `log`: one of SQLite unless given. */
  static async open({ log, openStore = sqliteStore }: HouseOptions = {}): Promise<House> {
    const house = new House(openStore);
    house.log = log ?? (await openSqliteLog({ file: join(house.directory, 'log.db') }));
    await house.start();
    return house;
  }

  /** As after a start of the process: all but the files is new. */
  async start(): Promise<void> {
    this.context = {
      eventLog: this.log,
      clock: () => this.nowMs,
      log: pino({ level: 'silent' }),
      metrics: new Registry(),
    } as unknown as ServiceContext;
    this.store = await this.#openStore(this.directory);
    await this.store.lead(AbortSignal.timeout(30_000));
    const gate = new CutGate();
    this.intake = new LeafIntake(this.context, this.store, gate);
    this.cutter = new WindowCutter(this.context, this.store, this.intake, gate, () => undefined);
    this.closer = new WindowCloser(this.store, nodeCrypto.sha256);
    this.publisher = new AnchorPublisher(this.log, this.store);
  }

  async restart(): Promise<void> {
    await this.store.close();
    await this.start();
  }

  async append(...envelopes: EventEnvelope[]): Promise<void> {
    await this.log.append(
      envelopes.map((one): NewRecord => ({ topic: 'agent-events', key: one.leaf.agentId, value: JSON.stringify(one) })),
    );
  }

  /** Gives the intake all that the log holds. */
  async takeAll(): Promise<void> {
    for (let partition = 0; partition < (await this.log.partitions('agent-events')); partition += 1) {
      for (;;) {
        const from = (await this.store.position('agent-events', partition)) ?? 0;
        const records = await this.log.read('agent-events', partition, from, 500);
        if (records.length === 0) break;
        const endOffset = (await this.log.endOffsets('agent-events'))[partition]!;
        await this.intake.take({ topic: 'agent-events', partition, records, endOffset });
      }
    }
  }

  /** Cuts what is due, publishes the cuts, closes all. */
  async closeDue(): Promise<void> {
    await this.cutter.tick();
    await this.publisher.publishCuts();
    while ((await this.closer.closeNext()) !== null);
    await this.closer.sweep();
  }

  /** The newest record of each key of `anchors`. */
  async anchors(): Promise<ReadonlyMap<string, AnchorFacts>> {
    const found = new Map<string, AnchorFacts>();
    for (let partition = 0; partition < (await this.log.partitions('anchors')); partition += 1) {
      for (let from = 0; ;) {
        const records = await this.log.read('anchors', partition, from, 500);
        const last = records.at(-1);
        if (last === undefined) break;
        for (const { key, value } of records) {
          const record = JSON.parse(Buffer.from(value).toString('utf8')) as VersionedRecord<AnchorFacts>;
          found.set(key, record.value!);
        }
        from = last.offset + 1;
      }
    }
    return found;
  }

  async close(): Promise<void> {
    await this.cutter.stop();
    await this.store.close();
    await this.log.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

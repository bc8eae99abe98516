import type { MessagePort } from 'node:worker_threads';
import type { TopicName } from '@countersign/contracts';
import type { Appended, Consumption, ConsumeOptions, EventLog, LogRecord, NewRecord, Offsets } from '../port.js';
import { startConsumption } from './consumption.js';
import { LogReader } from './reader.js';
import { PARTITIONS } from './schema.js';
import { WriterClient } from './writer-client.js';
import { startWriterThread } from './writer-handle.js';
import type { WriterHandle } from './writer-handle.js';

export interface SqliteLogOptions {
  /** Path of `log.db`; its directory exists and is used only by this process. */
  readonly file: string;
  /** A port from `connectPort()` of the log that another thread opened. Without it the writer thread is started. */
  readonly writer?: MessagePort;
  /** Bytes of values that may wait for the disk before `append` refuses; default 64 MiB. */
  readonly maxPendingBytes?: number;
  /**
   * Reserve on the file system, bytes: with less, `append` refuses until there is room again. Default: 64 MiB, on a
   * small file system a twentieth of it. Only where the writer thread is started.
   */
  readonly keptFreeBytes?: number | null;
}

export interface SqliteLog extends EventLog {
  /** Resolves with the reason when the writer thread ends unexpectedly; only for the log that started it. */
  readonly died: Promise<Error>;
  /** A port for another thread of this process, to be passed to it for its `openSqliteLog`. */
  connectPort(): MessagePort;
  /** Deletes what retention and compaction release at this time, in short steps; resolves when nothing is left. */
  maintain(nowMs: number): Promise<void>;
}

const PENDING_BYTES = 64 * 1024 * 1024;

/**
 * Opens the embedded log. The first opener starts the only thread that writes the file; its `close` ends it for all.
 * Rejects with `LogDamaged` naming what is damaged.
 */
export async function openSqliteLog(options: SqliteLogOptions): Promise<SqliteLog> {
  const handle =
    options.writer === undefined ? await startWriterThread(options.file, options.keptFreeBytes ?? null) : null;
  const port = options.writer ?? handle?.connect();
  if (port === undefined) throw new Error('the log-writer thread gave no port');
  const client = new WriterClient(port, options.maxPendingBytes ?? PENDING_BYTES);
  void handle?.died.then(({ message }) => client.fail(message));
  try {
    return new OpenSqliteLog(client, new LogReader(options.file), handle);
  } catch (error) {
    client.leave();
    await handle?.close();
    throw error;
  }
}

class OpenSqliteLog implements SqliteLog {
  readonly died: Promise<Error>;
  readonly #client: WriterClient;
  readonly #reader: LogReader;
  readonly #handle: WriterHandle | null;
  readonly #consumptions = new Set<Consumption>();
  #closing: Promise<void> | null = null;

  constructor(client: WriterClient, reader: LogReader, handle: WriterHandle | null) {
    this.#client = client;
    this.#reader = reader;
    this.#handle = handle;
    this.died = handle?.died ?? new Promise(() => undefined);
  }

  append(records: readonly NewRecord[]): Promise<readonly Appended[]> {
    return this.#client.append(records);
  }

  refusing(): string | null {
    return this.#client.refusing();
  }

  async partitions(_topic: TopicName): Promise<number> {
    return PARTITIONS;
  }

  async beginOffsets(topic: TopicName): Promise<Offsets> {
    return { 0: this.#reader.begin(topic) };
  }

  async endOffsets(topic: TopicName): Promise<Offsets> {
    return { 0: this.#reader.end(topic) };
  }

  async read(topic: TopicName, partition: number, fromOffset: number, limit: number): Promise<readonly LogRecord[]> {
    return partition === 0 ? this.#reader.read(topic, fromOffset, limit) : [];
  }

  async consume(options: ConsumeOptions): Promise<Consumption> {
    const consumption = await startConsumption(options, this.#reader, this.#client);
    this.#consumptions.add(consumption);
    return {
      ...consumption,
      stop: async () => {
        await consumption.stop();
        this.#consumptions.delete(consumption);
      },
    };
  }

  connectPort(): MessagePort {
    return this.#client.connectPort();
  }

  maintain(nowMs: number): Promise<void> {
    return this.#client.maintain(nowMs);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#consumptions].map((consumption) => consumption.stop()));
    await this.#client.drain();
    this.#client.leave();
    this.#reader.close();
    await this.#handle?.close();
  }
}

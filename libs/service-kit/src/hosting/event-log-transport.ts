import { Server } from '@nestjs/microservices';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { TOPIC_NAMES } from '@countersign/contracts';
import type { TopicName } from '@countersign/contracts';
import { StoreFellBack } from '@countersign/event-log';
import type { Consumption, EventReader, LogBatch } from '@countersign/event-log';
import type { ServiceConsumer } from '../service/definition.js';

/** Minimum time between two batches of a partition, ms: a commit of a store costs as much as many events. */
const PACE_MS = 50;

function isTopic(pattern: string): pattern is TopicName {
  return (TOPIC_NAMES as readonly string[]).includes(pattern);
}

/**
 * Nest's transport over the event log: `@EventPattern(topic)` receives a `LogBatch`. A batch is handled when the handler's
 * promise and Observable have completed; a batch whose handler fails is redelivered.
 */
export class EventLogTransport extends Server implements CustomTransportStrategy {
  override readonly propagatesEventHandlerErrors = true;
  readonly #reader: EventReader;
  readonly #consumer: ServiceConsumer;
  #consumption: Consumption | null = null;

  constructor(reader: EventReader, consumer: ServiceConsumer) {
    super();
    this.#reader = reader;
    this.#consumer = consumer;
  }

  /** @throws for a pattern that is not a topic */
  override listen(callback: (error?: unknown) => void): void {
    const { sessions } = this.#consumer;
    const begin = async (): Promise<void> =>
      sessions === undefined ? this.#begin() : sessions({ begin: () => this.#begin(), end: () => this.close() });
    begin().then(() => callback(), callback);
  }

  override async close(): Promise<void> {
    const consumption = this.#consumption;
    await consumption?.stop();
    if (this.#consumption === consumption) this.#consumption = null;
  }

  /** Why a partition is blocked, or `null`. */
  stalled(): string | null {
    return this.#consumption?.stalled() ?? null;
  }

  /** Messages that are not handled yet, by `<topic>/<partition>`. */
  lag(): Readonly<Record<string, number>> {
    return this.#consumption?.lag() ?? {};
  }

  override on(): never {
    throw new Error('the event log has no events of its own');
  }

  override unwrap<T>(): T {
    return this.#consumption as T;
  }

  async #begin(): Promise<void> {
    const topics = [...this.getHandlers().keys()].map((pattern) => {
      if (!isTopic(pattern)) throw new Error(`@EventPattern(${pattern}) is not a topic`);
      return pattern;
    });
    this.#consumption = await this.#reader.consume({
      group: this.#consumer.group,
      topics,
      mode: this.#consumer.mode ?? 'shared',
      paceMs: PACE_MS,
      position: (topic, partition) => this.#consumer.position(topic, partition),
      handle: (batch) => this.#deliver(batch),
    });
  }

  async #deliver(batch: LogBatch): Promise<void> {
    const handler = this.getHandlerByPattern(batch.topic);
    if (handler === null) throw new Error(`no handler for ${batch.topic}`);
    try {
      const result: unknown = await handler(batch);
      if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
    } catch (error) {
      if (error instanceof StoreFellBack) {
        this.logger.error(`${batch.topic}/${batch.partition}: ${error.message}: they are handled again`);
      }
      throw error;
    }
  }
}

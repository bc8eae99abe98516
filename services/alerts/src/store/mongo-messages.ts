import { randomUUID } from 'node:crypto';
import type { mongo } from 'mongoose';
import { duplicatesOf } from '@countersign/service-kit';
import type { Message } from '../domain/message.js';
import type { Backlog, Claim, DeliveryPage } from './port.js';

export interface MessageDocument {
  readonly _id: string;
  readonly destinationId: string;
  readonly createdAtMs: number;
  readonly dueAtMs: number | null;
  readonly token: string | null;
  /** JSON. */
  readonly body: string;
}

/** Messages and their claims; each write is of one document. */
export class MongoMessages {
  readonly #messages: mongo.Collection<MessageDocument>;

  constructor(messages: mongo.Collection<MessageDocument>) {
    this.#messages = messages;
  }

  async add(messages: readonly Message[]): Promise<void> {
    if (messages.length === 0) return;
    const documents = messages.map((message) => ({
      _id: message.id,
      destinationId: message.destinationId,
      createdAtMs: message.createdAtMs,
      dueAtMs: message.dueAtMs,
      token: null,
      body: JSON.stringify(message),
    }));
    await this.#messages.insertMany(documents, { ordered: false }).catch(duplicatesOf);
  }

  async claim(nowMs: number, untilMs: number, except: readonly string[]): Promise<Claim | null> {
    const token = randomUUID();
    const found = await this.#messages.findOneAndUpdate(
      { dueAtMs: { $ne: null, $lte: nowMs }, destinationId: { $nin: [...except] } },
      { $set: { dueAtMs: untilMs, token } },
      { sort: { dueAtMs: 1 } },
    );
    return found === null ? null : { message: JSON.parse(found.body) as Message, token };
  }

  async settle(token: string, message: Message): Promise<boolean> {
    const { matchedCount } = await this.#messages.updateOne(
      { _id: message.id, token },
      { $set: { dueAtMs: message.dueAtMs, token: null, body: JSON.stringify(message) } },
    );
    return matchedCount > 0;
  }

  async deliveries(destinationId: string, limit: number, offset: number): Promise<DeliveryPage> {
    const newest = this.#messages.find({ destinationId }).sort({ createdAtMs: -1, _id: -1 }).skip(offset).limit(limit);
    const [page, total] = await Promise.all([newest.toArray(), this.#messages.countDocuments({ destinationId })]);
    return { messages: page.map(({ body }) => JSON.parse(body) as Message), total };
  }

  async backlog(): Promise<Backlog> {
    const waits = { dueAtMs: { $ne: null } };
    const [waiting, [oldest]] = await Promise.all([
      this.#messages.countDocuments(waits),
      this.#messages.find(waits).sort({ dueAtMs: 1 }).limit(1).toArray(),
    ]);
    return { waiting, oldestDueMs: oldest?.dueAtMs ?? null };
  }

  async forget(beforeMs: number): Promise<void> {
    await this.#messages.deleteMany({ dueAtMs: null, createdAtMs: { $lt: beforeMs } });
  }

  async removeOf(destinationId: string): Promise<void> {
    await this.#messages.deleteMany({ destinationId });
  }
}

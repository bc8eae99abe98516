import { createConnection, type Connection, type mongo } from 'mongoose';
import { mongoOptions, tellingUnreachable, type SeenDocument } from '@countersign/service-kit';
import type { Destination } from '../domain/destination.js';
import type { Message } from '../domain/message.js';
import type { Folded, Thread } from '../domain/thread.js';
import { MongoMessages, type MessageDocument } from './mongo-messages.js';
import { MongoThreads, type PositionDocument, type ThreadDocument } from './mongo-threads.js';
import type { AlertStore, Backlog, Claim, DeliveryPage, Fold, NoticedBatch } from './port.js';

export interface DestinationDocument {
  readonly _id: string;
  readonly accountId: string;
  readonly createdAt: string;
  readonly enabled: boolean;
  readonly revision: number;
  /** JSON. */
  readonly body: string;
}

/** @throws when no server answers */
export async function openMongoAlertStore(uri: string): Promise<AlertStore> {
  const connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  try {
    const db = connection.db!;
    const destinations: mongo.Collection<DestinationDocument> = db.collection('alerts_destinations');
    const threads: mongo.Collection<ThreadDocument> = db.collection('alerts_threads');
    const messages: mongo.Collection<MessageDocument> = db.collection('alerts_messages');
    const seen: mongo.Collection<SeenDocument> = db.collection('alerts_seen_events');
    const positions: mongo.Collection<PositionDocument> = db.collection('alerts_positions');
    await destinations.createIndexes([{ key: { accountId: 1, createdAt: 1, _id: 1 }, name: 'by_account' }]);
    await threads.createIndexes([
      { key: { destinationId: 1 }, name: 'by_destination' },
      { key: { sumDueMs: 1 }, name: 'due' },
      { key: { leaves: 1 }, name: 'leaves' },
    ]);
    await messages.createIndexes([
      { key: { destinationId: 1, createdAtMs: -1, _id: -1 }, name: 'by_destination' },
      // A claim goes past the due messages of destinations that have to wait without reading them.
      { key: { dueAtMs: 1, destinationId: 1 }, name: 'due_by_destination' },
    ]);
    // Of an older release; while it is there, it may be chosen instead.
    await messages.dropIndex('due').catch(missingIndex);
    const own = new MongoMessages(messages);
    const following = new MongoThreads(threads, positions, seen, own);
    return tellingUnreachable(new MongoAlertStore(connection, destinations, following, own));
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class MongoAlertStore implements AlertStore {
  readonly #connection: Connection;
  readonly #destinations: mongo.Collection<DestinationDocument>;
  readonly #threads: MongoThreads;
  readonly #messages: MongoMessages;

  constructor(
    connection: Connection,
    destinations: mongo.Collection<DestinationDocument>,
    threads: MongoThreads,
    messages: MongoMessages,
  ) {
    this.#connection = connection;
    this.#destinations = destinations;
    this.#threads = threads;
    this.#messages = messages;
  }

  async addDestination(destination: Destination): Promise<void> {
    await this.#destinations.insertOne(documentOf(destination));
  }

  async replaceDestination(destination: Destination): Promise<boolean> {
    const { matchedCount } = await this.#destinations.replaceOne(
      { _id: destination.id, revision: destination.revision - 1 },
      documentOf(destination),
    );
    return matchedCount > 0;
  }

  /** The destination first: what is left of it then is sent nowhere, and is forgotten in time. */
  async removeDestination(accountId: string, id: string): Promise<boolean> {
    const { deletedCount } = await this.#destinations.deleteOne({ _id: id, accountId });
    if (deletedCount === 0) return false;
    await this.#threads.removeOf(id);
    await this.#messages.removeOf(id);
    return true;
  }

  async destination(id: string): Promise<Destination | null> {
    return read(await this.#destinations.findOne({ _id: id }));
  }

  async destinationOf(accountId: string, id: string): Promise<Destination | null> {
    return read(await this.#destinations.findOne({ _id: id, accountId }));
  }

  async destinations(accountId: string): Promise<readonly Destination[]> {
    const found = await this.#destinations.find({ accountId }).sort({ createdAt: 1, _id: 1 }).toArray();
    return found.map(({ body }) => JSON.parse(body) as Destination);
  }

  async enabledDestinations(accountIds: readonly string[]): Promise<readonly Destination[]> {
    if (accountIds.length === 0) return [];
    const found = await this.#destinations.find({ accountId: { $in: [...accountIds] }, enabled: true }).toArray();
    return found.map(({ body }) => JSON.parse(body) as Destination);
  }

  position(partition: number): Promise<number | null> {
    return this.#threads.position(partition);
  }

  follow(batch: NoticedBatch, fold: Fold): Promise<void> {
    return this.#threads.follow(batch, fold);
  }

  closeSums(nowMs: number, limit: number, close: (thread: Thread) => Folded): Promise<number> {
    return this.#threads.closeSums(nowMs, limit, close);
  }

  addMessages(messages: readonly Message[]): Promise<void> {
    return this.#messages.add(messages);
  }

  claim(nowMs: number, untilMs: number, except: readonly string[]): Promise<Claim | null> {
    return this.#messages.claim(nowMs, untilMs, except);
  }

  settle(token: string, message: Message): Promise<boolean> {
    return this.#messages.settle(token, message);
  }

  deliveries(destinationId: string, limit: number, offset: number): Promise<DeliveryPage> {
    return this.#messages.deliveries(destinationId, limit, offset);
  }

  backlog(): Promise<Backlog> {
    return this.#messages.backlog();
  }

  async forget(threadsBeforeMs: number, messagesBeforeMs: number): Promise<void> {
    await this.#threads.forget(threadsBeforeMs);
    await this.#messages.forget(messagesBeforeMs);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}

const INDEX_NOT_FOUND = 27;

function missingIndex(error: unknown): void {
  if ((error as { readonly code?: unknown }).code !== INDEX_NOT_FOUND) throw error;
}

function documentOf(destination: Destination): DestinationDocument {
  const { id, accountId, createdAt, enabled, revision } = destination;
  return { _id: id, accountId, createdAt, enabled, revision, body: JSON.stringify(destination) };
}

function read(document: DestinationDocument | null): Destination | null {
  return document === null ? null : (JSON.parse(document.body) as Destination);
}

import { InspectedDocuments, inspectDocuments } from '@countersign/document-store';
import type { InspectionSource, StoreInspection } from '@countersign/document-store';
import type { Destination } from '../domain/destination.js';
import type { Message } from '../domain/message.js';
import { COLLECTIONS, DESTINATIONS, MESSAGES, SEEN_EVENTS, THREADS } from './documents.js';
import { SERVICE } from './open.js';
import { cursorId, STREAM_CURSORS, STREAM_STATES, STREAMS } from './stream-documents.js';
import type { Stream } from '../streams/stream.js';
import type { StreamCursor } from '../streams/stream-store.js';

/** The stored data, read for `fsck`. */
export interface AlertInspection extends StoreInspection {
  destinations(): AsyncIterable<Destination>;
  messages(): AsyncIterable<Message>;
  streams(): AsyncIterable<Stream>;
  streamCursors(): AsyncIterable<StreamCursor>;
  /** Ids of events whose notices were folded. */
  seenEvents(): AsyncIterable<string>;
}

/**
 * Opens the store of a stopped instance by its file, or of an installation that may be running by its database.
 * @throws OtherLayout
 */
export async function inspectAlerts(source: InspectionSource): Promise<AlertInspection> {
  const documents = await inspectDocuments(source, SERVICE, COLLECTIONS);
  return new Inspection(documents, 'agent-events', 'file' in source);
}

class Inspection extends InspectedDocuments implements AlertInspection {
  async *destinations(): AsyncIterable<Destination> {
    for await (const { body } of this.documents.documents(DESTINATIONS)) yield body;
  }

  async *messages(): AsyncIterable<Message> {
    for await (const { body } of this.documents.documents(MESSAGES)) yield body.message;
  }

  async *streams(): AsyncIterable<Stream> {
    for await (const { body } of this.documents.documents(STREAMS)) yield body;
  }

  async *streamCursors(): AsyncIterable<StreamCursor> {
    for await (const { body } of this.documents.documents(STREAM_CURSORS)) yield body;
  }

  async *seenEvents(): AsyncIterable<string> {
    for await (const { id } of this.documents.documents(SEEN_EVENTS)) yield id.slice(id.indexOf('/') + 1);
  }

  async *owned(): AsyncIterable<never> {
    // Destinations are in no topic.
  }

  /** Contradictions of documents with themselves and each other, by location. */
  protected async disagreements(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const accounts = new Map<string, string>();
    for await (const { id, version, body } of this.documents.documents(DESTINATIONS)) {
      accounts.set(id, body.accountId);
      if (id !== body.id || version !== body.revision) found.set(`destinations ${id}`, NOT_ITSELF);
    }
    const judgeOwner = (location: string, { accountId, destinationId }: Owned): void => {
      const owner = accounts.get(destinationId);
      if (owner === undefined && this.isStopped) found.set(location, 'its destinationId names nothing in destinations');
      if (owner !== undefined && owner !== accountId)
        found.set(location, 'its account is not the one of its destination');
    };
    for await (const { id, body } of this.documents.documents(THREADS)) {
      judgeOwner(`threads ${id}`, body);
      if (id !== body.key) found.set(`threads ${id}`, NOT_ITSELF);
    }
    for await (const { id, body } of this.documents.documents(MESSAGES)) {
      judgeOwner(`messages ${id}`, body.message);
      if (id !== body.message.id) found.set(`messages ${id}`, NOT_ITSELF);
      else if (!hasForm(body.message)) {
        found.set(`messages ${id}`, 'its state, or what it says, is not that of a message');
      }
    }
    await this.#streamDisagreements(found);
    if (!this.isStopped) return found;
    for await (const { id } of this.documents.documents(SEEN_EVENTS)) {
      if (!id.startsWith('0/')) found.set(`seen_events ${id}`, 'the topic has no such partition');
    }
    return found;
  }

  async #streamDisagreements(found: Map<string, string>): Promise<void> {
    const accounts = new Map<string, string>();
    for await (const { id, version, body } of this.documents.documents(STREAMS)) {
      accounts.set(id, body.accountId);
      if (id !== body.id || version !== body.revision) found.set(`streams ${id}`, NOT_ITSELF);
    }
    const stateless = new Set(accounts.keys());
    for await (const { id, body } of this.documents.documents(STREAM_STATES)) {
      stateless.delete(id);
      if (id !== body.streamId) found.set(`stream_states ${id}`, NOT_ITSELF);
      else if (this.isStopped && accounts.get(id) !== body.accountId)
        found.set(`stream_states ${id}`, 'its stream is not one of its account');
    }
    for (const id of this.isStopped ? stateless : []) found.set(`streams ${id}`, 'it has no state');
    // Cursors of a removed stream may be left by a crash: they name nothing and harm nothing.
    for await (const { id, body } of this.documents.documents(STREAM_CURSORS)) {
      if (id !== cursorId(body)) found.set(`stream_cursors ${id}`, NOT_ITSELF);
    }
  }
}

type Owned = Pick<Message, 'accountId' | 'destinationId'>;

const NOT_ITSELF = 'it is stored under another id or version than its own';

function hasForm({ state, dueAtMs, type, body }: Message): boolean {
  try {
    const said = JSON.parse(body) as { readonly type?: unknown };
    return (state === 'waiting') === (dueAtMs !== null) && said.type === type;
  } catch {
    return false;
  }
}

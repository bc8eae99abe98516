import type { ArchivedEvent, EventArchive } from '@countersign/contracts';
import type { ChainLink } from '@countersign/event-formats';
import { sentRecord, type SentRecord } from './kinds/sent-record.js';
import { isSent, type Stream } from './stream.js';
import type { StreamCursor } from './stream-store.js';

/** Events of one batch, and how many of them are read at a time. */
const MOST_EVENTS = 500;
const READ_AT_ONCE = 100;
/** A batch ends with the event with which its texts reach this number of characters. */
const MOST_LENGTH = 1024 * 1024;
/** Events that are read for one batch, also those that the filter leaves out. */
const MOST_READ = 5_000;
const FOR_EVER = '9999-12-31T23:59:59.999Z';

type Archive = Pick<EventArchive, 'range' | 'span'>;

/** The next events of a stream, and its cursors once they are delivered. */
export interface ReadBatch {
  readonly records: readonly SentRecord[];
  readonly cursors: readonly StreamCursor[];
}

/** Where a stream stands with each agent. It moves on only by {@link delivered}. */
export class StreamReader {
  readonly #cursors: Map<string, StreamCursor>;
  /** Heads up to which an agent without a cursor has no event of the stream. */
  readonly #before = new Map<string, number>();

  constructor(cursors: readonly StreamCursor[]) {
    this.#cursors = new Map(cursors.map((cursor) => [cursor.agentId, cursor]));
  }

  /** Number of events that wait up to these heads, as far as it is known where each agent begins. */
  pending(heads: ReadonlyMap<string, number>): number {
    let events = 0;
    for (const [agentId, head] of heads) events += Math.max(0, head - this.#reached(agentId, head));
    return events;
  }

  /**
   * Reads the next batch. Both lists are empty when nothing waits.
   * @throws what the archive throws
   * @throws Error for an event of another account, or a gap
   */
  async next(stream: Stream, heads: ReadonlyMap<string, number>, archive: Archive): Promise<ReadBatch> {
    const records: SentRecord[] = [];
    const cursors: StreamCursor[] = [];
    let length = 0;
    let read = 0;
    for (const [agentId, head] of heads) {
      let cursor = await this.#cursorOf(stream, agentId, head, archive);
      if (cursor === null || cursor.sequence >= head) continue;
      while (cursor.sequence < head && records.length < MOST_EVENTS && length < MOST_LENGTH && read < MOST_READ) {
        const events = await this.#range(stream, cursor, head, archive);
        for (const { sequence, envelope } of events) {
          if (records.length >= MOST_EVENTS || length >= MOST_LENGTH) break;
          read += 1;
          let link: ChainLink | null = cursor.link;
          if (isSent(envelope.leaf, stream)) {
            const sent = sentRecord(stream, { sequence, leaf: envelope.leaf, openings: envelope.openings }, link);
            records.push(sent.record);
            length += sent.record.text.length;
            link = sent.link;
          }
          cursor = { ...cursor, sequence, link };
        }
      }
      cursors.push(cursor);
      if (records.length >= MOST_EVENTS || length >= MOST_LENGTH || read >= MOST_READ) break;
    }
    return { records, cursors };
  }

  /** The batch with these cursors was delivered, and they are saved. */
  delivered(cursors: readonly StreamCursor[]): void {
    for (const cursor of cursors) {
      this.#cursors.set(cursor.agentId, cursor);
      this.#before.delete(cursor.agentId);
    }
  }

  #reached(agentId: string, head: number): number {
    return this.#cursors.get(agentId)?.sequence ?? this.#before.get(agentId) ?? head;
  }

  /** `null`: the agent has no event of the stream yet. */
  async #cursorOf(stream: Stream, agentId: string, head: number, archive: Archive): Promise<StreamCursor | null> {
    const known = this.#cursors.get(agentId);
    if (known !== undefined) return known;
    if ((this.#before.get(agentId) ?? 0) >= head) return null;
    const begin = await beginning(agentId, stream.from, archive);
    if (begin === null) {
      this.#before.set(agentId, head);
      return null;
    }
    const cursor = { streamId: stream.id, agentId, sequence: begin - 1, link: null };
    this.#cursors.set(agentId, cursor);
    return cursor;
  }

  /** At least one event. */
  async #range(
    stream: Stream,
    { agentId, sequence }: StreamCursor,
    head: number,
    archive: Archive,
  ): Promise<readonly ArchivedEvent[]> {
    const events = await archive.range(agentId, sequence + 1, head, READ_AT_ONCE);
    if (events.length === 0)
      throw new Error(`the archive has no event ${sequence + 1} of an agent whose head is ${head}`);
    for (const [n, event] of events.entries()) {
      // Sequences have no gap: one here is an archive that is damaged, and nothing may be left out.
      if (event.sequence !== sequence + 1 + n)
        throw new Error(`the archive lacks event ${sequence + 1 + n} of an agent`);
      if (event.envelope.accountId !== stream.accountId)
        throw new Error('the archive gave an event of another account');
    }
    return events;
  }
}

/** Sequence of the agent's first event of `from` or later; `null`: it has none. */
async function beginning(agentId: string, from: string, archive: Archive): Promise<number | null> {
  // Often all events of an agent are later: then the first one shows it without a search.
  const [first] = await archive.range(agentId, 1, 1, 1);
  if (first !== undefined && Date.parse(first.envelope.leaf.occurredAt) >= Date.parse(from)) return 1;
  return (await archive.span(agentId, from, FOR_EVER))?.first ?? null;
}

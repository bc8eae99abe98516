import type { NewRecord } from '@countersign/event-log';
import type { Announcement, AnnouncementRow, AnnouncementStore } from './announcer.js';
import type { OutboxRow, OutboxStore, RowId } from './relay.js';

/** The methods of the driver's `Collection` that are used here. */
export interface RowCollection {
  find(filter: object, options: object): { toArray(): Promise<readonly object[]> };
  updateMany(filter: object, update: object): Promise<unknown>;
}

export interface EmbeddedRecord extends NewRecord {
  readonly id: string;
}
export interface EmbeddedAnnouncement extends Announcement {
  readonly row: string;
}

/** The part of a document that publishes its changes, written with the change in one single-document write. */
export interface EmbeddedRows {
  readonly outbox: readonly EmbeddedRecord[];
  readonly announcements: readonly EmbeddedAnnouncement[];
}

/** For `createIndexes` of every collection whose documents contain {@link EmbeddedRows}. */
export const EMBEDDED_ROWS_INDEXES = [
  { key: { 'outbox.id': 1 }, name: 'outbox', sparse: true },
  { key: { 'announcements.row': 1 }, name: 'announcements', sparse: true },
] as const;

/**
 * @param change unique name of the change, which sorts after those of earlier changes with records of the same keys:
 *   {@link changeName}
 */
export function embeddedRows(
  change: string,
  records: readonly NewRecord[],
  announcements: readonly Announcement[] = [],
): EmbeddedRows {
  const numbered = (n: number): string => `${change}/${String(n).padStart(6, '0')}`;
  return {
    outbox: records.map(({ topic, key, value }, n) => ({ id: numbered(n), topic, key, value })),
    announcements: announcements.map(({ kind, id, version }, n) => ({ row: numbered(n), kind, id, version })),
  };
}

/** Sorts by `order` (an integer from 0: a time in ms, a sequence number), then by document and version. */
export function changeName(order: number, document = '', version = 0): string {
  return `${String(order).padStart(16, '0')}/${document}/${String(version).padStart(12, '0')}`;
}

/** The update that adds the rows of another change to a document. */
export function pushRows({ outbox, announcements }: EmbeddedRows): {
  readonly outbox: { readonly $each: EmbeddedRecord[] };
  readonly announcements: { readonly $each: EmbeddedAnnouncement[] };
} {
  return { outbox: { $each: [...outbox] }, announcements: { $each: [...announcements] } };
}

/**
 * Outbox over rows that are embedded in documents. Documents are ordered by their oldest row, the rows of a document by its
 * changes: an instance sends a row of a document after all rows before it, so that the first occurrences in the log have the
 * order of the changes, whichever instance sends them.
 */
export function embeddedOutbox(collection: RowCollection): OutboxStore {
  return {
    async pending(limit) {
      const documents = (await oldest(collection, 'outbox', 'outbox.id', limit)) as readonly EmbeddedRows[];
      const rows: OutboxRow[] = [];
      for (const { outbox } of documents) {
        for (const { id, topic, key, value } of outbox) {
          if (rows.length < limit) rows.push({ id, record: { topic, key, value } });
        }
      }
      return rows;
    },
    sent: (ids) => pull(collection, 'outbox', 'id', ids),
  };
}

export function embeddedAnnouncements(collection: RowCollection): AnnouncementStore {
  return {
    async unannounced(limit) {
      const documents = (await oldest(
        collection,
        'announcements',
        'announcements.row',
        limit,
      )) as readonly EmbeddedRows[];
      const rows: AnnouncementRow[] = documents.flatMap(({ announcements }) => [...announcements]);
      return rows.slice(0, limit);
    },
    announced: (rows) => pull(collection, 'announcements', 'row', rows),
  };
}

function oldest(collection: RowCollection, field: string, indexed: string, limit: number): Promise<readonly object[]> {
  const projection = { _id: 1, [field]: { $slice: limit } };
  return collection.find({ [indexed]: { $gt: '' } }, { projection, sort: { [indexed]: 1 }, limit }).toArray();
}

async function pull(collection: RowCollection, field: string, id: string, ids: readonly RowId[]): Promise<void> {
  if (ids.length === 0) return;
  const among = { $in: [...ids] };
  await collection.updateMany({ [`${field}.${id}`]: among }, { $pull: { [field]: { [id]: among } } });
}

import { randomUUID } from 'node:crypto';
import { createConnection, type Connection, type mongo } from 'mongoose';
import type { ComplianceScope, DeclaredScope } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import {
  changeName,
  embeddedOutbox,
  embeddedRows,
  keepNewer,
  mongoOptions,
  pushRows,
  tellingUnreachable,
  type EmbeddedRows,
  type OutboxRow,
  type OutboxStore,
  type RowId,
} from '@countersign/service-kit';
import { MongoScopes, type ScopeDocument } from './mongo-scopes.js';
import {
  anchorKey,
  mayOpen,
  reportRecord,
  scopeRecord,
  type AuthorityFacts,
  type KeptAnchor,
  type OpenedRun,
  type ReportAnchorFacts,
  type ReportPage,
  type ReportStore,
  type StoredReport,
  type StoredScope,
} from './port.js';

/** A report and the messages that tell of it are one document. */
interface ReportDocument extends Pick<EmbeddedRows, 'outbox'> {
  readonly _id: string;
  readonly accountId: string;
  readonly createdAt: string;
  readonly version: number;
  /** The report, JSON. */
  readonly body: string;
  /** As the body says. */
  readonly opens?: readonly OpenedRun[];
}

interface AnchorDocument {
  readonly _id: string;
  readonly kind: 'report' | 'authority';
  readonly version: number;
  readonly body: string;
}

interface MessageDocument extends NewRecord {
  readonly _id: string;
}

interface Collections {
  readonly reports: mongo.Collection<ReportDocument>;
  readonly scopes: mongo.Collection<ScopeDocument>;
  readonly anchors: mongo.Collection<AnchorDocument>;
  readonly positions: mongo.Collection<{ readonly _id: number; readonly next: number }>;
  readonly messages: mongo.Collection<MessageDocument>;
}

/** @throws when no server answers */
export async function openMongoReportStore(uri: string): Promise<ReportStore> {
  const connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  try {
    const collections = collectionsOf(connection);
    await collections.reports.createIndexes([
      { key: { accountId: 1, createdAt: -1, _id: -1 }, name: 'by_account' },
      { key: { 'outbox.id': 1 }, name: 'outbox', sparse: true },
      { key: { 'opens.agentId': 1 }, name: 'by_opened_agent' },
    ]);
    await collections.anchors.createIndexes([{ key: { kind: 1, _id: 1 }, name: 'by_kind' }]);
    return tellingUnreachable(new MongoReportStore(connection, collections));
  } catch (error) {
    await connection.close();
    throw error;
  }
}

export function collectionsOf(connection: Connection): Collections {
  const db = connection.db!;
  return {
    reports: db.collection('reporting_reports'),
    scopes: db.collection('reporting_scopes'),
    anchors: db.collection('reporting_anchors'),
    positions: db.collection('reporting_positions'),
    messages: db.collection('reporting_messages'),
  };
}

const PAGE = 500;
/** Rows of messages that have no document of their own begin with it; those inside reports begin with a digit. */
const MESSAGE = 'm/';

class MongoReportStore implements ReportStore {
  readonly #connection: Connection;
  readonly #collections: Collections;
  readonly #inReports: OutboxStore;
  readonly #scopes: MongoScopes;

  constructor(connection: Connection, collections: Collections) {
    this.#connection = connection;
    this.#collections = collections;
    this.#inReports = embeddedOutbox(collections.reports);
    this.#scopes = new MongoScopes(collections.scopes);
  }

  async addReport(report: StoredReport): Promise<void> {
    const { accountId, createdAt } = report.facts;
    const { outbox } = rowsOf(report);
    const body = JSON.stringify(report);
    await this.#collections.reports.insertOne({
      _id: report.id,
      accountId,
      createdAt,
      version: report.version,
      body,
      opens: mayOpen(report),
      outbox,
    });
  }

  async updateReport(report: StoredReport): Promise<boolean> {
    const { modifiedCount } = await this.#collections.reports.updateOne(
      { _id: report.id, version: { $lt: report.version } },
      {
        $set: { version: report.version, body: JSON.stringify(report) },
        $push: { outbox: pushRows(rowsOf(report)).outbox },
      },
    );
    return modifiedCount > 0;
  }

  async report(accountId: string, id: string): Promise<StoredReport | null> {
    const found = await this.#collections.reports.findOne({ _id: id, accountId });
    return found === null ? null : (JSON.parse(found.body) as StoredReport);
  }

  async anyReport(id: string): Promise<StoredReport | null> {
    const found = await this.#collections.reports.findOne({ _id: id });
    return found === null ? null : (JSON.parse(found.body) as StoredReport);
  }

  async *all(): AsyncIterable<StoredReport> {
    for (let after = ''; ;) {
      const documents = await this.#collections.reports
        .find({ _id: { $gt: after } }, { projection: { body: 1 }, sort: { _id: 1 }, limit: PAGE })
        .toArray();
      for (const { body } of documents) yield JSON.parse(body) as StoredReport;
      if (documents.length < PAGE) return;
      after = documents.at(-1)!._id;
    }
  }

  async reports(accountId: string, limit: number, offset: number): Promise<ReportPage> {
    const { reports } = this.#collections;
    const newest = reports.find({ accountId }).sort({ createdAt: -1, _id: -1 }).skip(offset).limit(limit);
    const [page, total] = await Promise.all([newest.toArray(), reports.countDocuments({ accountId })]);
    return { reports: page.map(({ body }) => JSON.parse(body) as StoredReport), total };
  }

  async opening(agentId: string, sequence: number): Promise<readonly StoredReport[]> {
    const run = { agentId, first: { $lte: sequence }, last: { $gte: sequence } };
    const found = await this.#collections.reports
      .find({ $or: [{ opens: { $elemMatch: run } }, { opens: { $exists: false } }] })
      .sort({ _id: 1 })
      .toArray();
    const reports = found.map(({ body }) => JSON.parse(body) as StoredReport);
    return reports.filter((report) =>
      mayOpen(report).some((one) => one.agentId === agentId && one.first <= sequence && sequence <= one.last),
    );
  }

  scope(accountId: string): Promise<ComplianceScope> {
    return this.#scopes.scope(accountId);
  }

  async putScope(accountId: string, declared: DeclaredScope): Promise<void> {
    await this.enqueue([scopeRecord(await this.#scopes.put(accountId, declared))]);
  }

  scopes(): Promise<readonly StoredScope[]> {
    return this.#scopes.all();
  }

  adoptScope(scope: StoredScope): Promise<void> {
    return this.#scopes.adopt(scope);
  }

  async anchorsPosition(partition: number): Promise<number | null> {
    return (await this.#collections.positions.findOne({ _id: partition }))?.next ?? null;
  }

  /** The anchors, then the position: a crash in between makes the same come again, which changes nothing. */
  async keepAnchors(anchors: readonly KeptAnchor[], partition: number, nextOffset: number): Promise<void> {
    await keepNewer(this.#collections.anchors, newestOf(anchors).map(upsertOf));
    const filter = { _id: partition, next: { $lt: nextOffset } };
    const update = { $set: { next: nextOffset } };
    await keepNewer(this.#collections.positions, [{ updateOne: { filter, update, upsert: true } }]);
  }

  async reportAnchor(reportId: string): Promise<ReportAnchorFacts | null> {
    const found = await this.#collections.anchors.findOne({ _id: `report:${reportId}` });
    return found === null ? null : (JSON.parse(found.body) as ReportAnchorFacts);
  }

  async authorities(): Promise<readonly AuthorityFacts[]> {
    const found = await this.#collections.anchors.find({ kind: 'authority' }).sort({ _id: 1 }).toArray();
    return found.map(({ body }) => JSON.parse(body) as AuthorityFacts);
  }

  async enqueue(records: readonly NewRecord[]): Promise<void> {
    if (records.length === 0) return;
    const change = changeName(Date.now(), randomUUID());
    const messages = embeddedRows(change, records).outbox.map(({ id, topic, key, value }) => ({
      _id: `${MESSAGE}${id}`,
      topic,
      key,
      value,
    }));
    await this.#collections.messages.insertMany(messages);
  }

  /** What the two parts tell of has different keys, so that one part may come before the other. */
  async pending(limit: number): Promise<readonly OutboxRow[]> {
    const messages = await this.#collections.messages.find({}).sort({ _id: 1 }).limit(limit).toArray();
    const rows = messages.map(({ _id, topic, key, value }) => ({ id: _id, record: { topic, key, value } }));
    return rows.length === limit ? rows : [...rows, ...(await this.#inReports.pending(limit - rows.length))];
  }

  async sent(ids: readonly RowId[]): Promise<void> {
    const messages = ids.filter((id): id is string => typeof id === 'string' && id.startsWith(MESSAGE));
    if (messages.length > 0) await this.#collections.messages.deleteMany({ _id: { $in: messages } });
    const gone = new Set<RowId>(messages);
    await this.#inReports.sent(ids.filter((id) => !gone.has(id)));
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}

function rowsOf(report: StoredReport): EmbeddedRows {
  return embeddedRows(changeName(Date.parse(report.facts.createdAt), report.id, report.version), [
    reportRecord(report),
  ]);
}

/** The newest of each: what one batch writes may be written in any order. */
function newestOf(anchors: readonly KeptAnchor[]): readonly KeptAnchor[] {
  const newest = new Map<string, KeptAnchor>();
  for (const anchor of anchors) {
    const known = newest.get(anchorKey(anchor));
    if (known === undefined || known.version < anchor.version) newest.set(anchorKey(anchor), anchor);
  }
  return [...newest.values()];
}

function upsertOf(anchor: KeptAnchor): mongo.AnyBulkWriteOperation<AnchorDocument> {
  const { version, value } = anchor;
  const update = { $set: { kind: value.kind, version, body: JSON.stringify(value) } };
  return { updateOne: { filter: { _id: anchorKey(anchor), version: { $lt: version } }, update, upsert: true } };
}

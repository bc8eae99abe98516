import { createConnection, type Connection, type mongo } from 'mongoose';
import { keepNewer, mongoOptions, RebuildFence, tellingUnreachable } from '@countersign/document-store';
import type { AgentHeadFacts, ReportFacts, SigningKeyFacts, TopicName } from '@countersign/contracts';
import type { AuthorityFacts, PublicFact, PublicFacts, RegisteredAgent, ReportAnchorFacts } from './port.js';

interface FactDocument {
  /** `<kind>/<id>`. */
  readonly _id: string;
  readonly kind: PublicFact['kind'];
  readonly id: string;
  readonly version: number;
  /** Of a report's package. */
  readonly sha256?: string;
  /** Of a report's PDF. */
  readonly pdfSha256?: string;
  /** Of a registered agent. */
  readonly ssn?: string;
  /** JSON; `null` where the record says that it is gone. */
  readonly body: string | null;
}

interface Named<T> {
  readonly id: string;
  readonly facts: T;
}

/** What a fact is found by beside its id: one of these. */
type Lookup = { readonly sha256: string } | { readonly pdfSha256: string } | { readonly ssn: string };

interface PositionDocument {
  /** `<topic>/<partition>`. */
  readonly _id: string;
  readonly next: number;
}

export interface Collections {
  readonly facts: mongo.Collection<FactDocument>;
  readonly positions: mongo.Collection<PositionDocument>;
}

/** @param suffix ends the names of collections that are made beside those in use */
export function collectionsOf(connection: Connection, suffix = ''): Collections {
  const db = connection.db!;
  return {
    facts: db.collection(`verification_facts${suffix}`),
    positions: db.collection(`verification_positions${suffix}`),
  };
}

/**
 * @param suffix of collections that are made beside those in use
 * @throws when no server answers; StoreUnreachable while the collections are being replaced
 */
export async function openMongoPublicFacts(uri: string, suffix?: string): Promise<PublicFacts> {
  const connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  try {
    const fence = await RebuildFence.open(connection.db!, 'verification', suffix);
    const collections = collectionsOf(connection, suffix);
    const { facts } = collections;
    await facts.createIndexes([
      { key: { kind: 1, id: 1 }, name: 'by_kind' },
      { key: { sha256: 1 }, name: 'by_sha256', partialFilterExpression: { sha256: { $exists: true } } },
      {
        key: { pdfSha256: 1 },
        name: 'by_pdf_sha256',
        partialFilterExpression: { pdfSha256: { $exists: true } },
      },
      { key: { ssn: 1 }, name: 'by_ssn', partialFilterExpression: { ssn: { $exists: true } } },
    ]);
    return tellingUnreachable(new MongoPublicFacts(connection, collections, fence));
  } catch (error) {
    await connection.close();
    throw error;
  }
}

class MongoPublicFacts implements PublicFacts {
  readonly #connection: Connection;
  readonly #facts: mongo.Collection<FactDocument>;
  readonly #positions: mongo.Collection<PositionDocument>;
  readonly #fence: RebuildFence | null;

  constructor(connection: Connection, { facts, positions }: Collections, fence: RebuildFence | null) {
    this.#connection = connection;
    this.#fence = fence;
    this.#facts = facts;
    this.#positions = positions;
  }

  async position(topic: TopicName, partition: number): Promise<number | null> {
    await this.#fence?.require();
    return (await this.#positions.findOne({ _id: `${topic}/${partition}` }))?.next ?? null;
  }

  /** The facts, then the position: a crash in between makes the same facts come again, which changes nothing. */
  async keep(facts: readonly PublicFact[], topic: TopicName, partition: number, nextOffset: number): Promise<void> {
    await keepNewer(this.#facts, newestOf(facts).map(upsertOf));
    const filter = { _id: `${topic}/${partition}`, next: { $lt: nextOffset } };
    await keepNewer(this.#positions, [{ updateOne: { filter, update: { $set: { next: nextOffset } }, upsert: true } }]);
  }

  async keys(): Promise<readonly { readonly id: string; readonly facts: SigningKeyFacts }[]> {
    return (await this.#all('key')).map(({ id, body }) => ({ id, facts: JSON.parse(body) as SigningKeyFacts }));
  }

  async authorities(): Promise<readonly AuthorityFacts[]> {
    return (await this.#all('authority')).map(({ body }) => JSON.parse(body) as AuthorityFacts);
  }

  key(id: string): Promise<SigningKeyFacts | null> {
    return this.#one<SigningKeyFacts>('key', id);
  }

  reportAnchor(reportId: string): Promise<ReportAnchorFacts | null> {
    return this.#one<ReportAnchorFacts>('report-anchor', reportId);
  }

  report(id: string): Promise<ReportFacts | null> {
    return this.#one<ReportFacts>('report', id);
  }

  reportBySha256(sha256: string): Promise<Named<ReportFacts> | null> {
    return this.#by<ReportFacts>({ sha256 });
  }

  reportByPdfSha256(pdfSha256: string): Promise<Named<ReportFacts> | null> {
    return this.#by<ReportFacts>({ pdfSha256 });
  }

  agentBySsn(ssn: string): Promise<Named<RegisteredAgent> | null> {
    return this.#by<RegisteredAgent>({ ssn });
  }

  agentHead(agentId: string): Promise<AgentHeadFacts | null> {
    return this.#one<AgentHeadFacts>('agent-head', agentId);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #by<T>(by: Lookup): Promise<Named<T> | null> {
    const found = await this.#facts.findOne(by);
    if (found === null || found.body === null) return null;
    return { id: found.id, facts: JSON.parse(found.body) as T };
  }

  async #one<T>(kind: PublicFact['kind'], id: string): Promise<T | null> {
    const found = await this.#facts.findOne({ _id: `${kind}/${id}` });
    return found === null || found.body === null ? null : (JSON.parse(found.body) as T);
  }

  async #all(kind: PublicFact['kind']): Promise<{ readonly id: string; readonly body: string }[]> {
    const found = await this.#facts.find({ kind }).sort({ id: 1 }).toArray();
    return found.flatMap(({ id, body }) => (body === null ? [] : [{ id, body }]));
  }
}

/** The newest of each id: what one batch writes may be written in any order. */
function newestOf(facts: readonly PublicFact[]): readonly PublicFact[] {
  const newest = new Map<string, PublicFact>();
  for (const fact of facts) {
    const id = `${fact.kind}/${fact.id}`;
    const known = newest.get(id);
    if (known === undefined || known.version < fact.version) newest.set(id, fact);
  }
  return [...newest.values()];
}

/** Matches only where no version as high is there; then the insertion that follows meets its own id. */
function upsertOf(fact: PublicFact): mongo.AnyBulkWriteOperation<FactDocument> {
  const { kind, id, version, value } = fact;
  const _id = `${kind}/${id}`;
  const { sha256, pdfSha256, ssn } = foundBy(fact);
  const body = value === null ? null : JSON.stringify(value);
  const given = Object.entries({ sha256, pdfSha256, ssn });
  const known = given.filter(([, text]) => text !== null);
  const gone = given.filter(([, text]) => text === null).map(([name]): [string, true] => [name, true]);
  const $set = { kind, id, version, body, ...Object.fromEntries(known) };
  const update = gone.length === 0 ? { $set } : { $set, $unset: Object.fromEntries(gone) };
  return { updateOne: { filter: { _id, version: { $lt: version } }, update, upsert: true } };
}

/** What it is found by beside its id; `null`: not by this. */
function foundBy({ kind, value }: PublicFact): Readonly<Record<'sha256' | 'pdfSha256' | 'ssn', string | null>> {
  const report = kind === 'report' ? value : null;
  const ssn = kind === 'agent' ? (value?.ssn ?? null) : null;
  return { sha256: report?.sha256 ?? null, pdfSha256: report?.pdfSha256 ?? null, ssn };
}

import type { AgentHeadFacts, ReportFacts, SigningKeyFacts, TopicName } from '@countersign/contracts';
import { POSITIONS } from '@countersign/document-store';
import type { DocumentStore, Where } from '@countersign/document-store';
import { requireKept } from '@countersign/event-log';
import { factId, FACTS, positionId } from './documents.js';
import type { AuthorityFacts, PublicFact, PublicFacts, RegisteredAgent, ReportAnchorFacts } from './port.js';

const ALL = 2 ** 31 - 1;

type Kind = PublicFact['kind'];
type Value<K extends Kind> = NonNullable<Extract<PublicFact, { kind: K }>['value']>;
interface Named<T> {
  readonly id: string;
  readonly facts: T;
}

/** Public facts as documents. */
export class FactDocuments implements PublicFacts {
  constructor(private readonly documents: DocumentStore) {}

  async position(topic: TopicName, partition: number): Promise<number | null> {
    return (await this.documents.get(POSITIONS, positionId(topic, partition)))?.body.next ?? null;
  }

  async keep(
    facts: readonly PublicFact[],
    topic: TopicName,
    partition: number,
    nextOffset: number,
    from?: number,
  ): Promise<void> {
    const newest = newestOf(facts);
    const position = positionId(topic, partition);
    await this.documents.transact(async (transaction) => {
      const saved = (await transaction.get(POSITIONS, position))?.body.next ?? null;
      requireKept(saved, { from });
      const stored = await transaction.getMany(FACTS, [...newest.keys()]);
      const newer = [...newest].filter(([id, { version }]) => version > (stored.get(id)?.version ?? -1));
      await transaction.restore(
        FACTS,
        newer.map(([id, { version, ...body }]) => ({ id, version, body: body })),
      );
      if ((saved ?? -1) < nextOffset) await transaction.set(POSITIONS, [{ id: position, body: { next: nextOffset } }]);
    });
  }

  async keys(): Promise<readonly Named<SigningKeyFacts>[]> {
    return this.#all('key');
  }

  async authorities(): Promise<readonly AuthorityFacts[]> {
    return (await this.#all('authority')).map(({ facts }) => facts);
  }

  key(id: string): Promise<SigningKeyFacts | null> {
    return this.#one('key', id);
  }

  reportAnchor(reportId: string): Promise<ReportAnchorFacts | null> {
    return this.#one('report-anchor', reportId);
  }

  report(id: string): Promise<ReportFacts | null> {
    return this.#one('report', id);
  }

  async reportBySha256(sha256: string): Promise<Named<ReportFacts> | null> {
    return (await this.#find<'report'>({ sha256 }, 1))[0] ?? null;
  }

  async reportByPdfSha256(pdfSha256: string): Promise<Named<ReportFacts> | null> {
    return (await this.#find<'report'>({ pdfSha256 }, 1))[0] ?? null;
  }

  async agentBySsn(ssn: string): Promise<Named<RegisteredAgent> | null> {
    return (await this.#find<'agent'>({ ssn }, 1))[0] ?? null;
  }

  agentHead(agentId: string): Promise<AgentHeadFacts | null> {
    return this.#one('agent-head', agentId);
  }

  async close(): Promise<void> {
    await this.documents.close();
  }

  async #one<K extends Kind>(kind: K, id: string): Promise<Value<K> | null> {
    return ((await this.documents.get(FACTS, factId({ kind, id })))?.body.value ?? null) as Value<K> | null;
  }

  #all<K extends Kind>(kind: K): Promise<readonly Named<Value<K>>[]> {
    return this.#find<K>({ kind }, ALL);
  }

  /** @param where conditions that facts of the kind alone meet */
  async #find<K extends Kind>(
    where: Where<ReturnType<typeof FACTS.keysOf>>,
    limit: number,
  ): Promise<readonly Named<Value<K>>[]> {
    const found = await this.documents.find(FACTS, { where, by: 'id', limit });
    return found.flatMap(({ body: { id, value } }) => (value === null ? [] : [{ id, facts: value as Value<K> }]));
  }
}

/** The newest of each fact in a batch, by its document's id. */
function newestOf(facts: readonly PublicFact[]): ReadonlyMap<string, PublicFact> {
  const newest = new Map<string, PublicFact>();
  for (const fact of facts) {
    const id = factId(fact);
    const known = newest.get(id);
    if (known === undefined || known.version < fact.version) newest.set(id, fact);
  }
  return newest;
}

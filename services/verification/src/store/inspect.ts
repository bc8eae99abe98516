import type { TopicName } from '@countersign/contracts';
import { InspectedDocuments, inspectDocuments, POSITIONS, readPositions } from '@countersign/document-store';
import type { InspectionSource, StoreInspection } from '@countersign/document-store';
import { COLLECTIONS, factId, FACTS, positionId } from './documents.js';
import type { FactBody } from './documents.js';
import { SERVICE } from './open.js';
import type { PublicFact } from './port.js';

/** Read-only view of verification's store, to check it. */
export interface FactInspection extends StoreInspection {
  facts(): AsyncIterable<PublicFact>;
}

/**
 * Opens the store of a stopped instance by its file, or of an installation that may run by its database.
 * @throws OtherLayout
 */
export async function inspectFacts(source: InspectionSource): Promise<FactInspection> {
  const documents = await inspectDocuments(source, SERVICE, COLLECTIONS);
  return new Inspection(documents, 'agents', 'file' in source);
}

class Inspection extends InspectedDocuments implements FactInspection {
  async *facts(): AsyncIterable<PublicFact> {
    for await (const { version, body } of this.documents.documents(FACTS)) yield { ...body, version };
  }

  async *owned(): AsyncIterable<never> {
    // Every fact is another service's.
  }

  override async positions(topic: TopicName): Promise<ReadonlyMap<number, number>> {
    return readPositions(this.documents, `${topic}/`);
  }

  /** By place: documents that are stored under another id than their own. */
  protected async disagreements(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for await (const { id, body } of this.documents.documents(FACTS)) {
      if (!KINDS.has(body.kind)) found.set(`facts ${id}`, 'its kind is unknown');
      else if (id !== factId(body) || ownId(body) !== body.id)
        found.set(`facts ${id}`, 'it is stored under another id');
    }
    for await (const { id } of this.documents.documents(POSITIONS)) {
      const [topic = '', partition] = id.split('/');
      if (!TOPICS.has(topic) || id !== positionId(topic as TopicName, Number(partition))) {
        found.set(`positions ${id}`, 'verification follows no such partition');
      }
    }
    return found;
  }
}

const KINDS: ReadonlySet<string> = new Set<PublicFact['kind']>([
  'key',
  'report',
  'authority',
  'report-anchor',
  'agent',
  'agent-head',
]);
const TOPICS: ReadonlySet<string> = new Set<TopicName>(['signing-keys', 'reports', 'anchors', 'agents', 'agent-heads']);

/** The id that the value of a fact names; of other kinds, and of a removed one, the one that is stored. */
function ownId(fact: FactBody): string {
  if (fact.value === null) return fact.id;
  if (fact.kind === 'authority') return fact.value.address;
  if (fact.kind === 'report-anchor') return fact.value.reportId;
  return fact.id;
}

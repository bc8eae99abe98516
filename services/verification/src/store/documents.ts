import { OLDER_LAYOUTS, POSITIONS } from '@countersign/document-store';
import type { Collection } from '@countersign/document-store';
import type { TopicName } from '@countersign/contracts';
import type { PublicFact } from './port.js';

// Types and not interfaces, which have no index signature.
type FactKeys = {
  kind: string;
  id: string;
  sha256: string | null;
  pdfSha256: string | null;
  ssn: string | null;
};

/** A fact without the version of its record. */
export type FactBody = {
  [K in PublicFact['kind']]: Omit<Extract<PublicFact, { kind: K }>, 'version'>;
}[PublicFact['kind']];

/** By kind and id. Version: that of the record in the topic. */
export const FACTS: Collection<FactBody, FactKeys> = {
  name: 'facts',
  keysOf: (fact) => ({ kind: fact.kind, id: fact.id, ...lookUpKeys(fact) }),
  keys: { kind: 'text', id: 'text', sha256: 'text', pdfSha256: 'text', ssn: 'text' },
  keysVersion: 1,
  indexes: [['kind', 'id'], ['sha256'], ['pdfSha256'], ['ssn']],
};

/** Hashes of a report's package and of its PDF; the SSN of a registered agent. */
function lookUpKeys(fact: FactBody): Pick<FactKeys, 'sha256' | 'pdfSha256' | 'ssn'> {
  const report = fact.kind === 'report' ? fact.value : null;
  const agent = fact.kind === 'agent' ? fact.value : null;
  return { sha256: report?.sha256 ?? null, pdfSha256: report?.pdfSha256 ?? null, ssn: agent?.ssn ?? null };
}

export function factId({ kind, id }: Pick<PublicFact, 'kind' | 'id'>): string {
  return `${kind}/${id}`;
}

export function positionId(topic: TopicName, partition: number): string {
  return `${topic}/${partition}`;
}

export const COLLECTIONS = [FACTS, POSITIONS, OLDER_LAYOUTS] as unknown as readonly Collection<object>[];

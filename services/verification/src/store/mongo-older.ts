import { olderDocuments, POSITIONS } from '@countersign/document-store';
import type { OlderLayout, OlderRow } from '@countersign/document-store';
import { factId, FACTS } from './documents.js';
import type { FactBody } from './documents.js';
import type { PublicFact } from './port.js';

interface FactRow extends OlderRow {
  readonly kind: PublicFact['kind'];
  readonly id: string;
  readonly version: number;
  /** JSON; `null` where the record says that it is removed. */
  readonly body: string | null;
}
interface PositionRow extends OlderRow {
  readonly next: number;
}

/** The layout before documents. */
export const FACT_LAYOUT: OlderLayout = {
  name: 'facts',
  collections: ['verification_facts', 'verification_positions'],
  problem: async () => null,
  async *documents(read) {
    const facts = read<FactRow>('verification_facts', { kind: 1, id: 1 });
    yield* olderDocuments(FACTS, facts, ({ kind, id, version, body }) => ({
      id: factId({ kind, id }),
      version,
      body: { kind, id, value: body === null ? null : (JSON.parse(body) as object) } as FactBody,
    }));
    const positions = read<PositionRow>('verification_positions', { _id: 1 });
    yield* olderDocuments(POSITIONS, positions, ({ _id: id, next }) => ({
      id: String(id),
      version: 1,
      body: { next },
    }));
  },
};

import { duplicatesOf } from '@countersign/document-store';
import { WindowDamaged } from '../domain/agent-fold.js';
import type { Collections, LeavesDocument, RootDocument } from './mongo-collections.js';
import { binary, bytesOf, unpackRows, type LeafRow } from './mongo-rows.js';
import { LeadEnded, type CutWindow, type LeafCursor, type LeafPage } from './port.js';

type Terms = RootDocument['terms'];
const DOCUMENTS = 16;

/** `true` for leaves that count: those that a term wrote after the next one had begun do not. */
export function counts(terms: Terms, { p, from, term }: Pick<LeavesDocument, 'p' | 'from' | 'term'>): boolean {
  return terms.findLast((one) => (one.from[p] ?? 0) <= from)?.term === term;
}

/** The batches of leaves as they were taken. */
export class MongoJournal {
  readonly #leaves: Collections['leaves'];
  readonly #terms: () => Promise<Terms>;

  constructor(leaves: Collections['leaves'], terms: () => Promise<Terms>) {
    this.#leaves = leaves;
    this.#terms = terms;
  }

  /** They count once the root's position is behind them. */
  async add(documents: readonly LeavesDocument[]): Promise<void> {
    const result = await this.#leaves
      .insertMany([...documents], { ordered: false })
      .then(() => [] as readonly number[], duplicatesOf);
    if (result.length > 0) throw new LeadEnded('these leaves were written before');
  }

  /** Which of these event ids were taken already, as hex. */
  async known(ids: readonly Buffer[]): Promise<ReadonlySet<string>> {
    const known = new Set<string>();
    if (ids.length === 0) return known;
    const terms = await this.#terms();
    const asked = new Set(ids.map((id) => id.toString('hex')));
    const found = this.#leaves.find(
      { ids: { $in: ids.map((id) => binary(id)) } },
      { projection: { p: 1, from: 1, term: 1, ids: 1 } },
    );
    for await (const document of found) {
      if (!counts(terms, document)) continue;
      for (const id of document.ids) {
        const hex = bytesOf(id).toString('hex');
        if (asked.has(hex)) known.add(hex);
      }
    }
    return known;
  }

  /**
   * The batches of `[from, end)` in order, without a hole.
   * @throws WindowDamaged where one is missing
   */
  async *batches(partition: number, from: number, end: number): AsyncGenerator<LeavesDocument> {
    if (from >= end) return;
    const terms = await this.#terms();
    const before = await this.#leaves
      .find({ p: partition, from: { $lte: from } }, { projection: { p: 1, from: 1, next: 1, term: 1 } })
      .sort({ p: -1, from: -1 })
      .limit(DOCUMENTS)
      .toArray();
    const around = before.find((document) => counts(terms, document));
    let next = around !== undefined && around.next > from ? around.from : from;
    const found = this.#leaves.find({ p: partition, from: { $gte: next, $lt: end } }, { batchSize: DOCUMENTS });
    for await (const document of found.sort({ p: 1, from: 1 })) {
      if (!counts(terms, document)) continue;
      if (document.from !== next) break;
      yield document;
      next = document.next;
    }
    if (next < end) throw new WindowDamaged(`the leaves from agent-events/${partition}/${next} on are not stored`);
  }

  /** Leaves of a cut window; see {@link AnchorStore}. @throws WindowDamaged */
  async page(window: CutWindow, cursor: LeafCursor | null, limit: number): Promise<LeafPage> {
    const partitions = Object.keys(window.offsets)
      .map(Number)
      .sort((a, b) => a - b);
    const partition = cursor?.partition ?? partitions[0];
    if (partition === undefined) return { leaves: [], next: null };
    const start = cursor?.offset ?? window.from[partition] ?? 0;
    const end = window.offsets[partition]!;
    const leaves: LeafRow[] = [];
    for await (const document of this.batches(partition, start, end)) {
      const ours = unpackRows(document).filter(
        ({ cadence, offset }) => cadence === window.cadenceSeconds && offset >= start && offset < end,
      );
      leaves.push(...ours.slice(0, limit - leaves.length));
      if (leaves.length === limit) return { leaves, next: { partition, offset: leaves.at(-1)!.offset + 1 } };
    }
    const following = partitions[partitions.indexOf(partition) + 1];
    return {
      leaves,
      next: following === undefined ? null : { partition: following, offset: window.from[following] ?? 0 },
    };
  }
}

import { InspectedDocuments, inspectDocuments } from '@countersign/document-store';
import type { InspectionSource, StoreInspection } from '@countersign/document-store';
import { COLLECTIONS, GATES, HOLDS } from './hold-documents.js';
import { HOLD_SERVICE } from './open-holds.js';

/** The legal holds, read for `fsck`. */
export type HoldInspection = StoreInspection;

/**
 * Opens the holds of a stopped instance by their file, or of an installation that may be running by its database.
 * @throws OtherLayout
 */
export async function inspectHolds(source: InspectionSource): Promise<HoldInspection> {
  return new Inspection(await inspectDocuments(source, HOLD_SERVICE, COLLECTIONS), 'agent-events', 'file' in source);
}

class Inspection extends InspectedDocuments {
  async *owned(): AsyncIterable<never> {
    // Holds are in no topic.
  }

  /** The store follows no topic. */
  override async positions(): Promise<ReadonlyMap<number, number>> {
    return new Map();
  }

  /** Contradictions of documents with themselves and each other, by location. */
  protected async disagreements(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    const placed = new Map<string, number>();
    for await (const { id, version, body } of this.documents.documents(HOLDS)) {
      placed.set(body.accountId, (placed.get(body.accountId) ?? 0) + 1);
      if (id !== body.id) found.set(`holds ${id}`, 'it is stored under another id than its own');
      else if (version !== (body.released === null ? 1 : 2))
        found.set(`holds ${id}`, 'its version is not that of a hold that was placed, or placed and released');
    }
    const gates = new Map<string, number>();
    for await (const { id, body } of this.documents.documents(GATES)) gates.set(id, body.placed);
    for (const accountId of new Set([...placed.keys(), ...gates.keys()])) {
      const [stored, said] = [placed.get(accountId) ?? 0, gates.get(accountId) ?? 0];
      if (stored !== said)
        found.set(`hold_gates ${accountId}`, `the account has ${stored} legal holds, and ${said} were placed`);
    }
    return found;
  }
}

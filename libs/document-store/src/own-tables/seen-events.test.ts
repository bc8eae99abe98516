import { uuidV7 } from '@countersign/evidence';
import { SeenEvents } from './seen-events.js';
import type { SeenCollection, SeenDocument } from './seen-events.js';

const event = (n: number, offset: number) => {
  const eventId = uuidV7(Date.UTC(2026, 2, 1) + n, new Uint8Array(10));
  return { eventId, offset, agentId: 'agent', accountId: 'account' };
};

/** Calls everything a duplicate that was inserted before, and shows of it what `visible` lets through. */
function collection(visible: (document: SeenDocument) => boolean): SeenCollection {
  const stored = new Map<string, SeenDocument>();
  const insertMany = async (documents: readonly SeenDocument[]): Promise<void> => {
    const writeErrors = documents.flatMap(({ _id }, index) => (stored.has(_id) ? [{ code: 11000, index }] : []));
    for (const document of documents) if (!stored.has(document._id)) stored.set(document._id, document);
    if (writeErrors.length > 0) throw Object.assign(new Error('bulk'), { writeErrors });
  };
  const find = ({ _id: { $in: ids } }: { readonly _id: { readonly $in: readonly string[] } }) => ({
    toArray: async () => ids.flatMap((id) => stored.get(id) ?? []).filter(visible),
  });
  return { insertMany, find } as unknown as SeenCollection;
}

describe('events that a partition brought', () => {
  it('are those that stand nowhere before, also where the batch comes again', async () => {
    const seen = new SeenEvents(collection(() => true));
    const batch = [event(1, 0), event(2, 1), event(1, 2)];
    expect(await seen.first(3, batch)).toEqual(batch.slice(0, 2));
    expect(await seen.first(3, batch)).toEqual(batch.slice(0, 2));
    const again = [event(1, 3), event(2, 4), event(3, 5)];
    expect(await seen.first(3, again)).toEqual(again.slice(2));
    expect(await seen.first(4, again)).toEqual(again);
  });

  it('are not taken for new where the store calls them duplicates and does not show them', async () => {
    const [hidden] = [event(1, 0)];
    const seen = new SeenEvents(collection(({ _id }) => !_id.endsWith(hidden.eventId)));
    await seen.first(3, [event(1, 0), event(2, 1)]);
    await expect(seen.first(3, [event(1, 2), event(2, 3)])).rejects.toThrow('1 events are seen already');
  });
});

import type { NewRecord } from '@countersign/event-log';
import { changeName, embeddedAnnouncements, embeddedOutbox, embeddedRows, pushRows } from './embedded-rows.js';
import type { EmbeddedRows, RowCollection } from './embedded-rows.js';

const record = (value: string): NewRecord => ({ topic: 'agents', key: 'k', value });

describe('rows embedded in a document', () => {
  it('are named by their change, so that names sort as changes do', () => {
    const names = [changeName(9, 'a', 9), changeName(10, 'a', 1), changeName(10, 'a', 10), changeName(10, 'b', 2)];
    expect([...names].sort()).toEqual(names);
    const { outbox, announcements } = embeddedRows(
      'c',
      [record('1'), record('2')],
      [{ kind: 'agent', id: 'x', version: 3 }],
    );
    expect(outbox.map(({ id }) => id)).toEqual(['c/000000', 'c/000001']);
    expect(announcements).toEqual([{ row: 'c/000000', kind: 'agent', id: 'x', version: 3 }]);
    expect(pushRows({ outbox, announcements }).outbox.$each).toEqual(outbox);
  });

  it('are given document by document, cut in the middle of one, and pulled by their names', async () => {
    const documents: EmbeddedRows[] = ['a', 'b'].map((name) =>
      embeddedRows(name, [record(`${name}1`), record(`${name}2`)], [{ kind: 'agent', id: name, version: 1 }]),
    );
    const asked: object[] = [];
    const collection: RowCollection = {
      find: (filter, options) => {
        asked.push(filter, options);
        return { toArray: async () => documents };
      },
      updateMany: async (filter, update) => void asked.push(filter, update),
    };
    const outbox = embeddedOutbox(collection);
    const pending = await outbox.pending(3);
    expect(pending.map(({ record: { value } }) => value)).toEqual(['a1', 'a2', 'b1']);
    await outbox.sent(pending.map(({ id }) => id));
    await outbox.sent([]);
    const among = { $in: ['a/000000', 'a/000001', 'b/000000'] };
    expect(asked.slice(2)).toEqual([{ 'outbox.id': among }, { $pull: { outbox: { id: among } } }]);
    const announcements = await embeddedAnnouncements(collection).unannounced(1);
    expect(announcements).toEqual([{ row: 'a/000000', kind: 'agent', id: 'a', version: 1 }]);
  });
});

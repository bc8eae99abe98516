import { StoreUnreachable } from '../port.js';
import { duplicatesOf, isDuplicateKey, isUnreachable, tellingUnreachable } from './mongo-errors.js';

const named = (name: string, more: object = {}): Error => Object.assign(new Error(name), { name, ...more });
const bulk = (...codes: readonly number[]): Error =>
  named('MongoBulkWriteError', { code: codes[0], writeErrors: codes.map((code, i) => ({ code, index: i * 2 })) });

describe('errors of MongoDB', () => {
  it('tell a server that is gone or stepping down from a refusal', () => {
    expect(isUnreachable(named('MongooseServerSelectionError'))).toBe(true);
    expect(isUnreachable(named('MongoServerError', { code: 10107 }))).toBe(true);
    expect(isUnreachable(named('MongoServerError', { code: 11000 }))).toBe(false);
    expect(isUnreachable('MongoNetworkError')).toBe(false);
    expect(isUnreachable(named('MongoBulkWriteError', { writeErrors: [] }))).toBe(true);
    expect(isUnreachable(named('MongoBulkWriteError', { writeErrors: [{ code: 11000 }], code: 11000 }))).toBe(false);
    expect(isUnreachable(named('MongoBulkWriteError', { writeErrors: [], code: 10107 }))).toBe(true);
  });

  it('give the duplicates of a batch, and nothing less', () => {
    expect(duplicatesOf(bulk(11000, 11000))).toEqual([0, 2]);
    const mixed = bulk(11000, 121);
    expect(() => duplicatesOf(mixed)).toThrow(mixed);
    const unacknowledged = Object.assign(bulk(11000), { result: { getWriteConcernError: () => ({ code: 64 }) } });
    expect(() => duplicatesOf(unacknowledged)).toThrow(unacknowledged);
    expect(() => duplicatesOf(named('MongoNetworkError'))).toThrow('MongoNetworkError');
    expect(isDuplicateKey(named('MongoServerError', { code: 11000 }))).toBe(true);
    expect(isDuplicateKey(named('MongoServerError', { code: 1 }))).toBe(false);
  });

  it('become one kind for the caller of a store, also below it', async () => {
    class Store {
      #n = 0;
      readonly outbox = { sent: async () => Promise.reject(named('MongoNetworkError')) };
      async count() {
        return (this.#n += 1);
      }
      async broken() {
        throw named('MongoServerError', { code: 2 });
      }
      now() {
        return this.#n;
      }
    }
    const store = tellingUnreachable(new Store());
    await expect(store.outbox.sent()).rejects.toBeInstanceOf(StoreUnreachable);
    await expect(store.outbox.sent()).rejects.toMatchObject({ cause: { name: 'MongoNetworkError' } });
    await expect(store.broken()).rejects.toMatchObject({ name: 'MongoServerError' });
    expect([await store.count(), store.now()]).toEqual([1, 1]);
    expect(store.outbox).toBe(store.outbox);
  });
});

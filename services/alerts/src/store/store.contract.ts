import { StoreFellBack } from '@countersign/event-log';
import type { Destination } from '../domain/destination.js';
import { newMessage, sentAgain, type Message } from '../domain/message.js';
import { closeSum, foldNotices } from '../domain/thread.js';
import {
  ACCOUNT,
  destination,
  eventId,
  notice,
  OTHER_ACCOUNT,
  START,
  violation,
  WINDOW_MS,
} from '../testing/violations.js';
import type { AlertStore, Fold, NoticedBatch } from './port.js';

/** Opens one adapter; each test begins with an empty store. */
export interface StoreHarness {
  open(): Promise<AlertStore>;
  /** Closes and reopens the store. */
  reopen(store: AlertStore): Promise<AlertStore>;
  /** Removes all data; after `close`. */
  clean(): Promise<void>;
}

const NOW = START + 1_000_000;
const fold: Fold = (thread, notices) => foldNotices(thread, notices, WINDOW_MS, NOW);
const FAILED_ATTEMPT = { at: new Date(NOW).toISOString(), status: 500, error: 'answered 500' };
const message = (id: string, dueAtMs: number | null, destinationId = 'd'): Message => ({
  ...newMessage({ accountId: ACCOUNT, destinationId }, id, { type: 't', timestamp: '', data: {} }, 1, NOW),
  dueAtMs,
});

function batch(from: number, to: number, destinations = ['d']): NoticedBatch {
  const numbers = Array.from({ length: to - from }, (_, i) => from + i);
  const notices = numbers.flatMap((n) => destinations.map((id) => notice(id, violation(n))));
  return { partition: 0, next: to, logTimeMs: START + to, notices };
}

/** Contract of every adapter of {@link AlertStore}. */
export function alertStoreContract(name: string, harness: StoreHarness): void {
  describe(`alert store: ${name}`, () => {
    let store: AlertStore;
    beforeEach(async () => {
      store = await harness.open();
    });
    afterEach(async () => {
      await store.close();
      await harness.clean();
    });

    const close = (): Promise<number> => store.closeSums(NOW + WINDOW_MS, 10, (thread) => closeSum(thread, NOW));
    const countsOf = async (destinationId: string): Promise<readonly number[]> =>
      (await store.deliveries(destinationId, 100, 0)).messages.map(({ count }) => count).sort((a, b) => a - b);

    it('separates the destinations of accounts, oldest first, and changes them by revision', async () => {
      const made: Destination[] = [
        destination('b', { createdAt: '2026-01-02T00:00:00.000Z' }),
        destination('a', { createdAt: '2026-01-03T00:00:00.000Z', enabled: false }),
        destination('c', { accountId: OTHER_ACCOUNT }),
      ];
      for (const each of made) await store.addDestination(each);
      store = await harness.reopen(store);
      expect(await store.destinations(ACCOUNT)).toEqual(made.slice(0, 2));
      expect((await store.enabledDestinations([ACCOUNT, OTHER_ACCOUNT])).map(({ id }) => id).sort()).toEqual([
        'b',
        'c',
      ]);
      expect(await store.enabledDestinations([])).toEqual([]);
      const next = { ...made[1]!, enabled: true, revision: 2 };
      expect(await store.replaceDestination(next)).toBe(true);
      expect(await store.replaceDestination(next)).toBe(false);
      expect(await store.destination('a')).toEqual(next);
      expect(await store.destinationOf(ACCOUNT, 'a')).toEqual(next);
      expect(await store.destinationOf(OTHER_ACCOUNT, 'a')).toBeNull();
      expect(await store.destinationOf(ACCOUNT, 'c')).toBeNull();
      expect(await store.removeDestination(OTHER_ACCOUNT, 'a')).toBe(false);
      expect(await store.removeDestination(ACCOUNT, 'a')).toBe(true);
      expect(await store.destination('a')).toBeNull();
      expect(await store.replaceDestination({ ...next, revision: 3 })).toBe(false);
    });

    it('reports each event once, if its batch is redelivered, in part, or its id at another offset', async () => {
      expect(await store.position(0)).toBeNull();
      await store.follow(batch(0, 5, ['d', 'e']), fold);
      await store.follow(batch(0, 5, ['d', 'e']), fold);
      store = await harness.reopen(store);
      await store.follow(batch(2, 8, ['d', 'e']), fold);
      const twin = { ...violation(3), offset: 9 };
      await store.follow({ partition: 0, next: 10, logTimeMs: START + 9, notices: [notice('d', twin)] }, fold);
      expect(await store.position(0)).toBe(10);
      expect(await store.position(1)).toBeNull();
      expect(await close()).toBe(2);
      expect(await close()).toBe(0);
      expect(await countsOf('d')).toEqual([1, 7]);
      expect(await countsOf('e')).toEqual([1, 7]);
    });

    it('refuses a batch that begins past its position: it has lost what it had acknowledged', async () => {
      await store.follow({ ...batch(0, 5, ['d']), from: 0 }, fold);
      await expect(store.follow({ ...batch(7, 9, ['d']), from: 6 }, fold)).rejects.toThrow(StoreFellBack);
      expect(await store.position(0)).toBe(5);
    });

    it('advances its position for a batch without notices, and never back', async () => {
      await store.follow({ partition: 3, next: 40, logTimeMs: START, notices: [] }, fold);
      await store.follow({ partition: 3, next: 20, logTimeMs: START, notices: [] }, fold);
      expect(await store.position(3)).toBe(40);
    });

    it('closes sums when they are due, not before', async () => {
      await store.follow(batch(0, 3), fold);
      expect(await store.closeSums(NOW, 10, (thread) => closeSum(thread, NOW))).toBe(0);
      expect(await countsOf('d')).toEqual([1]);
      expect(await close()).toBe(1);
      const page = await store.deliveries('d', 1, 0);
      expect(page).toMatchObject({ total: 2, messages: [expect.anything()] });
    });

    it('gives a due message to one claim at a time, the longest due first', async () => {
      await store.addMessages([message('m2', NOW - 5), message('m1', NOW - 9, 'other'), message('m3', NOW + 1)]);
      await store.addMessages([{ ...message('m2', NOW - 5), count: 99 }]);
      const first = await store.claim(NOW, NOW + 10, []);
      expect(first?.message.id).toBe('m1');
      const second = await store.claim(NOW, NOW + 10, ['other']);
      expect(second?.message).toEqual(message('m2', NOW - 5));
      expect(await store.claim(NOW, NOW + 10, [])).toBeNull();
      const again = await store.claim(NOW + 10, NOW + 20, ['d']);
      expect(again?.message.id).toBe('m1');
      const settled: Message = { ...message('m1', null, 'other'), state: 'delivered' };
      expect(await store.settle(first!.token, settled)).toBe(false);
      expect(await store.settle(again!.token, settled)).toBe(true);
      expect(await store.settle(again!.token, settled)).toBe(false);
      expect((await store.deliveries('other', 10, 0)).messages).toEqual([settled]);
      expect(await store.settle(second!.token, message('m2', NOW + 50))).toBe(true);
      expect(await store.backlog()).toEqual({ waiting: 2, oldestDueMs: NOW + 1 });
    });

    it('changes a message of its destination, unless an instance is attempting it', async () => {
      await store.addMessages([message('m1', NOW - 9)]);
      const again = (old: Message): Message => sentAgain(old, NOW);
      const claim = await store.claim(NOW, NOW + 10, []);
      const event = [{ topic: 'agent-events', key: 'stream', value: 'sent again' } as const];
      expect(await store.changeMessage('d', 'm1', again, event)).toBe('claimed');
      const failed: Message = { ...message('m1', null), state: 'failed', attempts: [FAILED_ATTEMPT] };
      await store.settle(claim!.token, failed);
      expect(await store.changeMessage('other', 'm1', again, event)).toBeNull();
      expect(await store.changeMessage('d', 'm9', again)).toBeNull();
      expect(await store.pending(9)).toEqual([]);
      const changed = await store.changeMessage('d', 'm1', again, event);
      expect((await store.pending(9)).map(({ record }) => record.value)).toEqual(['sent again']);
      expect(changed).toEqual({ ...failed, state: 'waiting', dueAtMs: NOW, earlierAttempts: 1 });
      expect((await store.claim(NOW, NOW + 10, []))?.message).toEqual(changed);
    });

    it('claims nothing that was removed with its destination, or settled by another instance', async () => {
      await store.addDestination(destination('d'));
      await store.follow(batch(0, 3), fold);
      expect(await store.removeDestination(ACCOUNT, 'd')).toBe(true);
      expect(await close()).toBe(0);
      expect(await store.claim(NOW, NOW + 10, [])).toBeNull();
      expect(await store.backlog()).toEqual({ waiting: 0, oldestDueMs: null });
    });

    it('removes expired threads and messages, and nothing that is pending', async () => {
      await store.follow(batch(0, 2), fold);
      await store.addMessages([{ ...message('old', null), createdAtMs: 1 }, message('waits', NOW)]);
      await store.forget(NOW + WINDOW_MS, NOW);
      const left = (await store.deliveries('d', 10, 0)).messages.map(({ id }) => id);
      expect(left).toContain('waits');
      expect(left).not.toContain('old');
      expect(await close()).toBe(1);
      await store.forget(NOW + WINDOW_MS, NOW);
      const later = { ...violation(7, 5), eventId: eventId(7) };
      await store.follow({ partition: 0, next: 8, logTimeMs: START, notices: [notice('d', later)] }, fold);
      expect(await countsOf('d')).toEqual([1, 1, 1, 1]);
    });
  });
}

import { randomBytes } from 'node:crypto';
import { seal, unseal } from '@countersign/process';
import { resealStore } from '../secrets/reseal.js';
import type { Stream } from '../streams/stream.js';
import type { StreamState } from '../streams/stream-store.js';
import { ACCOUNT, AGENT, destination, OTHER_ACCOUNT, START } from '../testing/violations.js';
import type { AlertStore } from './port.js';
import type { StoreHarness } from './store.contract.js';

const MOST = 3;

function stream(id: string, members: Partial<Stream> = {}): Stream {
  return {
    id,
    accountId: ACCOUNT,
    kind: 'https',
    url: 'https://siem.example.com/',
    format: 'ocsf',
    filter: {},
    enabled: true,
    createdAt: '2026-01-01T00:00:00.000Z',
    from: '2026-01-01T00:00:00.000Z',
    sealedCredentials: 'sealed',
    revision: 1,
    ...members,
  };
}

/** Contract of the streams of every adapter. */
export function streamStoreContract(name: string, harness: StoreHarness): void {
  describe(`stream store: ${name}`, () => {
    let store: AlertStore;
    beforeEach(async () => {
      store = await harness.open();
    });
    afterEach(async () => {
      await store.close();
      await harness.clean();
    });

    const cursor = (sequence: number, agentId = AGENT) => ({ streamId: 'a', agentId, sequence, link: null });

    it('separates the streams of accounts, oldest first, and changes them by revision', async () => {
      const { streams } = store;
      const later = stream('b', { createdAt: '2026-01-02T00:00:00.000Z', enabled: false });
      const others = stream('c', { accountId: OTHER_ACCOUNT });
      for (const each of [later, stream('a'), others]) expect(await streams.add(each, MOST)).toBe(true);
      expect(await streams.list(ACCOUNT)).toEqual([stream('a'), later]);
      expect(await streams.find(ACCOUNT, 'c')).toBeNull();
      expect((await streams.enabled()).map(({ id }) => id).sort()).toEqual(['a', 'c']);
      const changed = stream('a', { enabled: false, revision: 2 });
      expect(await streams.replace(changed)).toBe(true);
      expect(await streams.replace(changed)).toBe(false);
      expect(await streams.find(ACCOUNT, 'a')).toEqual(changed);
      expect(await streams.add(stream('d'), 2)).toBe(false);
    });

    it('seals everything again under another instance secret, also while another instance does', async () => {
      const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
      const warned: unknown[] = [];
      const log = { info: () => undefined, warn: (about: unknown) => void warned.push(about) };
      const replace = (previous: Uint8Array | null, present: Uint8Array): Promise<void> =>
        resealStore(store, { destinations: { present, previous }, streams: { present, previous } }, log);
      await store.addDestination(destination('a', { sealedSecret: seal('of a', first, 'a') }));
      await store.addDestination(destination('b', { kind: 'email', destination: 'b@example.com' }));
      await store.addDestination(destination('lost', { sealedSecret: seal('lost', randomBytes(32), 'lost') }));
      const off = { accountId: OTHER_ACCOUNT, enabled: false };
      await store.streams.add(stream('s', { ...off, sealedCredentials: seal('of s', first, 's') }), MOST);
      const held = async (): Promise<string[]> => [
        (await store.destination('a'))!.sealedSecret!,
        (await store.streams.find(OTHER_ACCOUNT, 's'))!.sealedCredentials,
      ];
      await replace(null, second);
      expect((await held()).map((sealed, i) => unseal(sealed, first, 'as'[i]!))).toEqual(['of a', 'of s']);
      await Promise.all([replace(first, second), replace(first, second)]);
      await replace(second, third);
      const sealed = await held();
      expect(sealed.map((one, i) => unseal(one, third, 'as'[i]!))).toEqual(['of a', 'of s']);
      for (const [i, one] of sealed.entries()) {
        for (const earlier of [first, second]) expect(() => unseal(one, earlier, 'as'[i]!)).toThrow();
      }
      expect(await store.streams.find(OTHER_ACCOUNT, 's')).toMatchObject({ ...off, revision: 3 });
      expect(warned).toEqual([{ id: 'lost' }, { id: 'lost' }, { id: 'lost' }]);
      expect(await store.destination('lost')).toMatchObject({ revision: 1 });
    });

    it('keeps what people did for the log with the change that it was, and not where nothing changes', async () => {
      const act = (value: string) => [{ topic: 'agent-events', key: 'people', value }] as const;
      const { streams } = store;
      await store.addDestination(destination('a'), act('created'));
      const next = { ...destination('a'), enabled: false, revision: 2 };
      expect(await store.replaceDestination(next, act('changed'))).toBe(true);
      expect(await store.replaceDestination(next, act('changed again'))).toBe(false);
      expect(await store.removeDestination(OTHER_ACCOUNT, 'a', act('of another'))).toBe(false);
      expect(await store.removeDestination(ACCOUNT, 'a', act('removed'))).toBe(true);
      expect(await store.removeDestination(ACCOUNT, 'a', act('removed again'))).toBe(false);
      expect(await streams.add(stream('s'), 1, act('stream created'))).toBe(true);
      expect(await streams.add(stream('t'), 1, act('one too many'))).toBe(false);
      const changed = stream('s', { enabled: false, revision: 2 });
      expect(await streams.replace(changed, act('stream changed'))).toBe(true);
      expect(await streams.replace(changed, act('stream changed again'))).toBe(false);
      expect(await streams.remove(OTHER_ACCOUNT, 's', act('of another'))).toBe(false);
      expect(await streams.remove(ACCOUNT, 's', act('stream removed'))).toBe(true);
      await store.enqueue(act('tested'));
      await store.enqueue([]);
      store = await harness.reopen(store);
      const rows = await store.pending(99);
      expect(rows.map(({ record }) => record.value)).toEqual([
        ...['created', 'changed', 'removed', 'stream created', 'stream changed', 'stream removed', 'tested'],
      ]);
      await store.sent(rows.slice(1).map(({ id }) => id));
      expect((await store.pending(99)).map(({ record }) => record.value)).toEqual(['created']);
    });

    it('leases a stream to one owner at a time, and lets no other save', async () => {
      const { streams } = store;
      await streams.add(stream('a'), MOST);
      const first = (await streams.lease('a', 'one', START, START + 1_000))!;
      expect(first.cursors).toEqual([]);
      expect(await streams.lease('a', 'two', START + 999, START + 2_000)).toBeNull();
      const version = await streams.save(first.version, { ...first.state, pending: 7 }, [cursor(3)]);
      expect(version).toBe(first.version + 1);
      expect((await streams.states(['a', 'none'])).get('a')).toMatchObject({ pending: 7 });
      const second = (await streams.lease('a', 'two', START + 1_000, START + 2_000))!;
      expect(second.cursors).toEqual([cursor(3)]);
      expect(await streams.save(version!, first.state, [cursor(9)])).toBeNull();
      const ended: StreamState = { ...second.state, lease: null };
      expect(await streams.save(second.version, ended, [cursor(4)])).not.toBeNull();
      expect((await streams.lease('a', 'three', START, START + 1_000))!.cursors).toEqual([cursor(4)]);
    });

    it('removes a stream with its place, and saves nothing of it afterwards', async () => {
      const { streams } = store;
      await streams.add(stream('a'), MOST);
      const { version, state } = (await streams.lease('a', 'one', START, START + 1_000))!;
      expect(await streams.remove(OTHER_ACCOUNT, 'a')).toBe(false);
      expect(await streams.remove(ACCOUNT, 'a')).toBe(true);
      expect(await streams.remove(ACCOUNT, 'a')).toBe(false);
      expect(await streams.save(version, state, [cursor(1)])).toBeNull();
      expect(await streams.lease('a', 'one', START, START + 1_000)).toBeNull();
      expect((await streams.states(['a'])).size).toBe(0);
      await streams.add(stream('a'), MOST);
      expect((await streams.lease('a', 'one', START, START + 1_000))!.cursors).toEqual([]);
    });

    it('keeps streams and their places', async () => {
      const settings = { bucket: 'abc', region: 'x', lock: { mode: 'COMPLIANCE', days: 1 } } as const;
      await store.streams.add(stream('a', { settings }), MOST);
      const { version, state } = (await store.streams.lease('a', 'one', START, START + 1_000))!;
      const link = { uid: 'e', typeUid: 600399, fingerprint: 'ab' };
      const planned = [{ agentId: AGENT, sequence: 7 }];
      const ended = { ...state, lease: null, planned };
      await store.streams.save(version, ended, [{ ...cursor(5), link }, cursor(2, 'another')]);
      store = await harness.reopen(store);
      const again = (await store.streams.lease('a', 'two', START, START + 1_000))!;
      expect(again.cursors).toEqual([{ ...cursor(5), link }, cursor(2, 'another')]);
      expect(again.state).toEqual({ ...ended, lease: { owner: 'two', untilMs: START + 1_000 } });
      expect(await store.streams.find(ACCOUNT, 'a')).toEqual(stream('a', { settings }));
    });
  });
}

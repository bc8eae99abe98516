import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EventLog } from '@countersign/event-log';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { OVERLAP_MS } from './ring.js';
import { KeysBench, type OpenedInstance } from './signing-keys.test-kit.js';
import type { Signer } from './signer.js';
import { KeyWatch } from './watch-keys.js';

const MESSAGE = new TextEncoder().encode('a report');
const REASON = 'its backup was lost';

describe('signing keys', () => {
  let bench: KeysBench;
  let folder: string;
  let one: OpenedInstance;
  beforeEach(async () => {
    bench = await KeysBench.open();
    folder = bench.newFolder();
    one = await bench.instance(folder);
  });
  afterEach(() => bench.close());
  const signer = (instance: OpenedInstance): Promise<Signer> => instance.keys.forReport(instance.published);
  const signs = async ({ publicKey, sign }: Signer): Promise<boolean> =>
    nodeCrypto.ed25519Verify(publicKey, MESSAGE, await sign(MESSAGE));
  const refusal = (act: Promise<unknown>): Promise<{ status?: number; message: string }> =>
    act.then(
      () => Promise.reject(new Error('it was not refused')),
      (error: Error) => error,
    );

  it('are one at the first start, published, and the same at every later one', async () => {
    const first = await signer(one);
    expect(await bench.statuses()).toEqual({ [first.keyId]: 'active' });
    expect(await signs(first)).toBe(true);
    expect((await signer(await bench.instance(folder))).keyId).toBe(first.keyId);
    expect([...(await bench.published()).values()][0]!.version).toBe(1);
  });

  it('stay published until a rotation, which retires the active one', async () => {
    const before = await signer(one);
    const { keyId } = await one.keys.create();
    expect(await bench.statuses()).toEqual({ [before.keyId]: 'active', [keyId]: 'published' });
    expect((await signer(one)).keyId).toBe(before.keyId);
    expect((await one.keys.rotate(null)).keyId).toBe(keyId);
    expect(await bench.statuses()).toEqual({ [before.keyId]: 'retired', [keyId]: 'active' });
    expect((await signer(one)).keyId).toBe(keyId);
    const next = (await one.keys.rotate(null)).keyId;
    expect((await bench.statuses())[next]).toBe('active');
    expect((await refusal(one.keys.rotate(before.keyId))).message).toContain('is retired');
  });

  it('sign reports begun before a rotation, for as long as they stay valid', async () => {
    const begun = await signer(one);
    await one.keys.rotate(null);
    expect(await signs(begun)).toBe(true);
    const { value } = (await bench.published()).get(begun.keyId)!;
    expect(Date.parse(value!.validTo!)).toBe(bench.now + OVERLAP_MS);
    bench.now += OVERLAP_MS;
    expect(await refusal(begun.sign(MESSAGE))).toMatchObject({
      status: 503,
      message: expect.stringContaining('retired'),
    });
  });

  it('sign nothing once they are revoked, and exports are refused until another one is active', async () => {
    const begun = await signer(one);
    const { keys } = await one.keys.revoke(begun.keyId, REASON);
    expect(keys).toMatchObject([{ status: 'revoked', revokedFor: REASON }]);
    expect((await bench.published()).get(begun.keyId)!.value!.revocation!.reason).toBe(REASON);
    expect(await refusal(begun.sign(MESSAGE))).toMatchObject({
      status: 503,
      message: expect.stringContaining('revoked'),
    });
    const none = 'no signing key is active: whoever operates this service must rotate to a new one';
    expect(await refusal(signer(one))).toMatchObject({ status: 503, message: none });
    // A start creates no key to replace it.
    const again = await bench.instance(folder);
    expect(await refusal(signer(again))).toMatchObject({ status: 503, message: none });
    const { keyId } = await again.keys.rotate(null);
    expect((await signer(one)).keyId).toBe(keyId);
    for (const reason of ['  ', 'two\nlines', 'x'.repeat(501)]) {
      expect((await refusal(one.keys.revoke(keyId, reason))).message).toContain('has a reason');
    }
  });

  it('are changed by any of several instances, and all of them follow', async () => {
    const two = await bench.instance(folder);
    const old = await signer(two);
    const { keyId } = await one.keys.rotate(null);
    expect((await signer(two)).keyId).toBe(keyId);
    const made = await Promise.all([one.keys.create(), two.keys.create(), two.keys.create()]);
    const rotated = await Promise.allSettled([one.keys.rotate(null), two.keys.rotate(null)]);
    expect(rotated.some(({ status }) => status === 'fulfilled')).toBe(true);
    await two.keys.revoke(old.keyId, REASON);
    expect(await refusal(old.sign(MESSAGE))).toMatchObject({ status: 503 });
    const statuses = Object.values(await bench.statuses());
    expect(statuses.filter((status) => status === 'active')).toHaveLength(1);
    expect(statuses).toHaveLength(2 + made.length);
    expect((await signer(one)).keyId).toBe((await signer(two)).keyId);
  });

  it.each([1, 2, 3])('lose nothing if the log fails at append %i of a rotation', async (failing) => {
    const { keyId: before } = await signer(one);
    let appends = 0;
    const broken = new Proxy(bench.eventLog, {
      get(target, name) {
        if (name === 'append') {
          return (...args: Parameters<EventLog['append']>) =>
            (appends += 1) >= failing ? Promise.reject(new Error('no broker')) : target.append(...args);
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const dying = await bench.instance(folder, {}, broken);
    const rotation = dying.keys.rotate(null);
    // A rotation publishes the new key, and then both.
    if (failing <= 2) await expect(rotation).rejects.toThrow(/^the change is made; .*: no broker$/);
    else await rotation;
    const after = await bench.instance(folder);
    const statuses = await bench.statuses();
    const active = Object.entries(statuses).filter(([, status]) => status === 'active');
    expect([Object.keys(statuses).length, active.length]).toEqual([2, 1]);
    expect((await signer(after)).keyId).toBe(active[0]![0]);
    expect(active[0]![0] === before).toBe(failing === 1);
    // The operator repeats it: the published key is taken, and no third one created.
    if (failing === 1) {
      await after.keys.rotate(null);
      expect(Object.values(await bench.statuses()).sort()).toEqual(['active', 'retired']);
    }
  });

  it('include a key whose file is all that a crash left', async () => {
    const { keyId } = await one.keys.create();
    rmSync(
      join(
        folder,
        readdirSync(folder)
          .filter((name) => name.startsWith('ring.'))
          .sort()
          .at(-1)!,
      ),
    );
    const again = await bench.instance(folder);
    expect(await again.keys.list()).toMatchObject([{ status: 'active' }, { id: keyId, status: 'published' }]);
  });

  it('are never restored by an older copy of the folder, and an unpublished change is published by its next reader', async () => {
    const { keyId } = await signer(one);
    const rings = () => readdirSync(folder).filter((name) => name.startsWith('ring.'));
    const before = rings();
    await one.keys.create();
    await one.keys.revoke(keyId, REASON);
    for (const name of rings()) if (!before.includes(name)) rmSync(join(folder, name));
    const again = await bench.instance(folder);
    expect(await again.keys.list()).toMatchObject([{ id: keyId, status: 'revoked' }, { status: 'active' }]);
    const watch = new KeyWatch(again.ring, again.published, { warn: () => undefined }, 60_000);
    await again.published.caughtUp();
    await watch.look();
    expect(watch.problem()).toBeNull();
    await watch.stop();
  });

  it('do not sign from a folder that lacks keys of the topic', async () => {
    const apart = bench.newFolder();
    await expect(bench.instance(apart)).rejects.toThrow(/^the signing key key_[0-9a-f]{16} is in use, but its file /);
    expect(readdirSync(apart)).toEqual([]);
    const { keyId } = await signer(one);
    rmSync(join(folder, `${keyId}.json`));
    await expect(bench.instance(folder)).rejects.toThrow(`${keyId}.json is missing`);
  });

  it('detect at run time that another instance has another folder', async () => {
    const { keyId } = await signer(one);
    const { version, value } = (await bench.published()).get(keyId)!;
    const record = { v: 1, id: keyId, version: version + 1, value: { ...value, status: 'retired' } };
    await bench.eventLog.append([{ topic: 'signing-keys', key: keyId, value: JSON.stringify(record) }]);
    await one.published.waitFor(keyId, version + 1, 10_000);
    expect(await refusal(signer(one))).toMatchObject({ status: 503 });
    const watch = new KeyWatch(one.ring, one.published, { warn: () => undefined }, 60_000);
    await watch.look();
    await watch.look();
    expect(watch.problem()).toContain('must have one folder');
    await watch.stop();
  });
});

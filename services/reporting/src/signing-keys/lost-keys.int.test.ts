import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { OVERLAP_MS } from './ring.js';
import { KeysBench, type OpenedInstance } from './signing-keys.test-kit.js';

const MESSAGE = new TextEncoder().encode('a report');
const REASON = 'the disk was stolen';
const [OLD, NEW] = ['correct horse battery staple', 'another horse and its staple'];

describe('signing keys that are lost', () => {
  let bench: KeysBench;
  let folder: string;
  let first: string;
  beforeEach(async () => {
    bench = await KeysBench.open();
    folder = bench.newFolder();
    first = await signs(await bench.instance(folder));
  });
  afterEach(() => bench.close());
  const signs = async ({ keys, published }: OpenedInstance): Promise<string> => {
    const { keyId, publicKey, sign } = await keys.forReport(published);
    expect(nodeCrypto.ed25519Verify(publicKey, MESSAGE, await sign(MESSAGE))).toBe(true);
    return keyId;
  };
  const lose = (keyId: string): void => rmSync(join(folder, `${keyId}.json`));
  const refusedStart = async (keyId: string): Promise<void> => {
    await expect(bench.instance(folder)).rejects.toThrow(`${keyId}.json is missing`);
  };

  it('are rotated away by an operator: they are retired, and the next start no longer needs them', async () => {
    lose(first);
    await refusedStart(first);
    const { keys } = await bench.operator(folder);
    expect(await keys.list()).toMatchObject([{ id: first, status: 'active', custody: 'missing' }]);
    await refusedStart(first);
    const { keyId, keys: after } = await keys.rotate(null);
    expect(after).toMatchObject([
      { id: first, status: 'retired', custody: 'none', validTo: new Date(bench.now + OVERLAP_MS).toISOString() },
      { id: keyId, status: 'active', custody: 'file' },
    ]);
    expect(await bench.statuses()).toEqual({ [first]: 'retired', [keyId]: 'active' });
    expect(await signs(await bench.instance(folder))).toBe(keyId);
  });

  it('are revoked by an operator, also once they are retired', async () => {
    lose(first);
    const { keys } = await bench.operator(folder);
    expect((await keys.revoke(first, REASON)).keys).toMatchObject([{ status: 'revoked', custody: 'none' }]);
    expect((await bench.published()).get(first)!.value).toMatchObject({
      status: 'revoked',
      revocation: { reason: REASON },
    });
    const started = await bench.instance(folder);
    await expect(signs(started)).rejects.toMatchObject({ status: 503 });
    const { keyId } = await started.keys.rotate(null);
    lose(keyId);
    const again = await bench.operator(folder);
    const third = await again.keys.rotate(null);
    await again.keys.revoke(keyId, REASON);
    expect(await signs(await bench.instance(folder))).toBe(third.keyId);
  });

  it('are lost with their folder and all its rings: the topic is all that remains', async () => {
    const waiting = (await (await bench.instance(folder)).keys.create()).keyId;
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    await refusedStart(first);
    const { keys } = await bench.operator(folder);
    expect((await keys.list()).map(({ custody }) => custody)).toEqual(['missing', 'missing']);
    // The published key is lost as well: it replaces no other.
    const next = (await keys.rotate(null)).keyId;
    expect([first, waiting]).not.toContain(next);
    await expect(keys.rotate(waiting)).rejects.toThrow('cannot sign, so nothing was changed');
    await refusedStart(waiting);
    await keys.revoke(waiting, REASON);
    expect(await signs(await bench.instance(folder))).toBe(next);
  });

  it('replace no revoked key', async () => {
    const one = await bench.instance(folder);
    const [lost, held] = [(await one.keys.create()).keyId, (await one.keys.create()).keyId];
    lose(lost);
    const { keys } = await bench.operator(folder);
    await keys.revoke(first, REASON);
    expect(await bench.statuses()).toEqual({ [first]: 'revoked', [lost]: 'published', [held]: 'active' });
  });

  it('are lost with their passphrase as well', async () => {
    const sealed = bench.newFolder();
    rmSync(folder, { recursive: true });
    await (await bench.operator(sealed)).keys.revoke(first, REASON);
    const old = { COUNTERSIGN_SIGNING_PASSPHRASE: OLD };
    const second = (await (await bench.operator(sealed, old)).keys.rotate(null)).keyId;
    const environment = { COUNTERSIGN_SIGNING_PASSPHRASE: NEW };
    await expect(bench.instance(sealed, environment)).rejects.toThrow('does not open the signing key');
    const { keys } = await bench.operator(sealed, environment);
    expect(await keys.list()).toMatchObject([{ custody: 'none' }, { id: second, custody: 'missing' }]);
    const third = (await keys.rotate(null)).keyId;
    expect(await signs(await bench.instance(sealed, environment))).toBe(third);
  });
});

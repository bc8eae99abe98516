import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { killedChild } from '@countersign/test-kit';
import { KeysBench } from './signing-keys.test-kit.js';

const CHILD = fileURLToPath(new URL('./rotating.test-child.js', import.meta.url));
const MESSAGE = new TextEncoder().encode('a report');
/** Times of kills after the first revocation, ms: each at another step of a rotation. */
const KILLS = [3, 17, 41];
/** Maximum time for a start on a busy machine, ms. */
const START_WITHIN_MS = 30_000;

describe('a process that is killed while it rotates', () => {
  const root = mkdtempSync(join(tmpdir(), 'killed-rotation-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('leaves one active key that is published, and no revoked key that is valid', async () => {
    const directory = join(root, 'keys');
    const revoked = new Set<string>();
    for (const afterMs of KILLS) {
      for (const id of await killedChild(CHILD, [join(root, 'log.db'), directory], afterMs, START_WITHIN_MS))
        revoked.add(id);
      const again = await KeysBench.reopen(root);
      try {
        const { keys, published } = await again.instance(directory);
        const { keyId, publicKey, sign } = await keys.forReport(published);
        expect(nodeCrypto.ed25519Verify(publicKey, MESSAGE, await sign(MESSAGE))).toBe(true);
        const statuses = await again.statuses();
        expect(Object.entries(statuses).filter(([, status]) => status === 'active')).toEqual([[keyId, 'active']]);
        for (const id of revoked) expect([id, statuses[id]]).toEqual([id, 'revoked']);
        expect((await keys.list()).map(({ id, status }) => [id, status]).sort()).toEqual(
          Object.entries(statuses).sort(),
        );
      } finally {
        await again.end();
      }
    }
    expect(revoked.size).toBeGreaterThanOrEqual(KILLS.length);
  }, 120_000);
});

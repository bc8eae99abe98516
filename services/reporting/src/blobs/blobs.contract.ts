import type { BlobStore } from './blob-store.js';

/** Opens one adapter; each test begins without blobs. */
export interface BlobsHarness {
  open(): Promise<BlobStore>;
  /** Begins to store a blob and is killed before it is complete; the written part stays. */
  dieWhilePutting(name: string): Promise<void>;
  /** Number of stored pieces, including drafts and their parts. */
  pieces(): Promise<number>;
  /** Removes everything; after `close`. */
  clean(): Promise<void>;
}

const NAME = 'ab'.repeat(32);
const LARGE = Buffer.alloc(3 * 1024 * 1024, 'countersign ');

function* inPieces(bytes: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

/** Contract of every adapter of {@link BlobStore}. */
export function blobsContract(name: string, harness: BlobsHarness): void {
  describe(`blobs: ${name}`, () => {
    let blobs: BlobStore;
    beforeEach(async () => {
      blobs = await harness.open();
    });
    afterEach(async () => {
      await blobs.close();
      await harness.clean();
    });

    it('returns stored blobs completely, also after a restart', async () => {
      await blobs.put(NAME, inPieces(LARGE));
      await blobs.put(`${NAME}.pdf`, ['text ', Buffer.from('and bytes')]);
      await blobs.close();
      blobs = await harness.open();
      expect((await blobs.get(NAME))?.equals(LARGE)).toBe(true);
      expect((await blobs.get(`${NAME}.pdf`))?.toString()).toBe('text and bytes');
      expect(await blobs.get('cd'.repeat(32))).toBeNull();
    });

    it('changes nothing if the same name is stored again, also concurrently', async () => {
      await Promise.all([1, 2, 3].map(() => blobs.put(NAME, [LARGE])));
      const pieces = await harness.pieces();
      await blobs.put(NAME, ['something else']);
      expect((await blobs.get(NAME))?.equals(LARGE)).toBe(true);
      expect(await harness.pieces()).toBe(pieces);
    });

    it('keeps nothing of a blob whose content fails, and accepts it afterwards', async () => {
      const failing = function* (): Generator<Uint8Array> {
        yield LARGE;
        throw new Error('no more');
      };
      await expect(blobs.put(NAME, failing())).rejects.toThrow('no more');
      expect(await blobs.get(NAME)).toBeNull();
      expect(await harness.pieces()).toBe(0);
      await blobs.put(NAME, [LARGE]);
      expect((await blobs.get(NAME))?.length).toBe(LARGE.length);
    });

    it('hides the unfinished blob of a killed process, and removes it', async () => {
      await harness.dieWhilePutting(NAME);
      expect(await harness.pieces()).toBeGreaterThan(0);
      expect(await blobs.get(NAME)).toBeNull();
      await blobs.put(NAME, ['whole']);
      await blobs.close();
      blobs = await harness.open();
      expect((await blobs.get(NAME))?.toString()).toBe('whole');
      await blobs.remove(NAME);
      expect(await harness.pieces()).toBe(0);
    });

    it('removes blobs, also missing ones', async () => {
      await blobs.put(NAME, [LARGE]);
      await blobs.remove(NAME);
      await blobs.remove(NAME);
      expect(await blobs.get(NAME)).toBeNull();
      expect(await harness.pieces()).toBe(0);
    });

    it('lists the names stored before a time, without drafts', async () => {
      await harness.dieWhilePutting('cd'.repeat(32));
      await blobs.put(NAME, inPieces(LARGE));
      expect(await blobs.namesBefore(Date.now() + 60_000)).toEqual([NAME]);
      expect(await blobs.namesBefore(Date.now() - 60_000)).toEqual([]);
    });

    it('accepts only hashes as names', async () => {
      for (const bad of ['../../etc/passwd', 'x', `${NAME}/..`]) {
        await expect(blobs.put(bad, ['x'])).rejects.toThrow(RangeError);
      }
    });
  });
}

import type { BlobStore } from './blob-store.js';

/** How one adapter is opened; each test begins with no blob. */
export interface BlobsHarness {
  open(): Promise<BlobStore>;
  /** Begins to put a blob and dies before it is whole; what it had written stays. */
  dieWhilePutting(name: string): Promise<void>;
  /** Everything that is kept, drafts and their parts included: how many pieces. */
  pieces(): Promise<number>;
  /** Forgets what was kept; after `close`. */
  clean(): Promise<void>;
}

const NAME = 'ab'.repeat(32);
const LARGE = Buffer.alloc(3 * 1024 * 1024, 'countersign ');

function* inPieces(bytes: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

/** What every adapter of {@link BlobStore} must do. */
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

    it('gives back what was put, whole, also over a restart', async () => {
      await blobs.put(NAME, inPieces(LARGE));
      await blobs.put(`${NAME}.pdf`, ['text ', Buffer.from('and bytes')]);
      await blobs.close();
      blobs = await harness.open();
      expect((await blobs.get(NAME))?.equals(LARGE)).toBe(true);
      expect((await blobs.get(`${NAME}.pdf`))?.toString()).toBe('text and bytes');
      expect(await blobs.get('cd'.repeat(32))).toBeNull();
    });

    it('changes nothing when the same name is put again, also at once', async () => {
      await Promise.all([1, 2, 3].map(() => blobs.put(NAME, [LARGE])));
      const pieces = await harness.pieces();
      await blobs.put(NAME, ['something else']);
      expect((await blobs.get(NAME))?.equals(LARGE)).toBe(true);
      expect(await harness.pieces()).toBe(pieces);
    });

    it('keeps nothing of a blob whose content fails, and takes it afterwards', async () => {
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

    it('shows nothing of what a killed process had begun, and clears it', async () => {
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

    it('removes, also what is not there', async () => {
      await blobs.put(NAME, [LARGE]);
      await blobs.remove(NAME);
      await blobs.remove(NAME);
      expect(await blobs.get(NAME)).toBeNull();
      expect(await harness.pieces()).toBe(0);
    });

    it('tells what was put before a time, and no draft', async () => {
      await harness.dieWhilePutting('cd'.repeat(32));
      await blobs.put(NAME, inPieces(LARGE));
      expect(await blobs.namesBefore(Date.now() + 60_000)).toEqual([NAME]);
      expect(await blobs.namesBefore(Date.now() - 60_000)).toEqual([]);
    });

    it('takes hashes for names and nothing else', async () => {
      for (const bad of ['../../etc/passwd', 'x', `${NAME}/..`]) {
        await expect(blobs.put(bad, ['x'])).rejects.toThrow(RangeError);
      }
    });
  });
}

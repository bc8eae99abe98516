import {
  chmodSync,
  chownSync,
  cpSync,
  mkdtempSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDirectoryUnusable, openDataDirectory } from './data-directory.js';
import { markRunning } from './running-mark.js';
import { createFileOnce, readIfPresent, writeFileWhole } from './files.js';

describe('files of the data directory', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-kit-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are replaced whole, with their mode, and leave nothing beside them', async () => {
    const file = join(folder, 'a');
    await writeFileWhole(file, 'one', 0o600);
    await writeFileWhole(file, 'two', 0o600);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777, readdirSync(folder)]).toEqual([
      'two',
      0o600,
      ['a'],
    ]);
  });

  it('are made once: of many makers at once all get the same bytes', async () => {
    const file = join(folder, 'secret');
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) => createFileOnce(file, () => Buffer.from(`maker ${i}`), 0o600)),
    );
    expect(new Set(made.map((bytes) => Buffer.from(bytes).toString())).size).toBe(1);
    expect(readdirSync(folder)).toEqual(['secret']);
  });

  it('that are not there read as null', async () => {
    expect(await readIfPresent(join(folder, 'nothing'))).toBeNull();
  });
});

describe('a data directory that a killed process left', () => {
  it('is cleared of what was half written, and of nothing else', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'data-directory-'));
    const draft = 'session-secret.f53ffb0d-5992-4368-87c5-1aa6e29ed81d.tmp';
    for (const name of [draft, 'session-secret', 'mine.tmp']) writeFileSync(join(dataDir, name), 'x');
    const lock = await openDataDirectory(dataDir);
    const names = readdirSync(dataDir);
    expect(names).toEqual(expect.arrayContaining(['session-secret', 'mine.tmp']));
    expect(names).not.toContain(draft);
    lock.release();
    rmSync(dataDir, { recursive: true });
  });
});

describe('a data directory', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'data-directory-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is made with all folders above it, for its owner alone', async () => {
    const dataDir = join(folder, 'a', 'b');
    (await openDataDirectory(dataDir)).release();
    expect([dataDir, join(folder, 'a')].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it('that others could enter is closed to them, which is said', async () => {
    const dataDir = join(folder, 'open');
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o755);
    const said: string[] = [];
    (await openDataDirectory(dataDir, (what) => said.push(what))).release();
    expect([statSync(dataDir).mode & 0o777, said]).toEqual([0o700, [expect.stringContaining('had mode 0755')]]);
    (await openDataDirectory(dataDir, (what) => said.push(what))).release();
    expect(said).toHaveLength(1);
  });

  describe('of another user that everybody may enter, as a mounted volume is', () => {
    let volume: string;
    let us: number;
    beforeEach(() => {
      volume = join(folder, 'volume');
      mkdirSync(volume);
      chmodSync(volume, 0o2777);
      us = statSync(volume).uid + 1;
      jest.spyOn(process, 'getuid').mockReturnValue(us);
    });
    afterEach(() => jest.restoreAllMocks());

    it('is refused with the folder to name, which then is made and used at every start', async () => {
      const refused: unknown = await openDataDirectory(volume).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(DataDirectoryUnusable);
      const named = /mode 0777 .* set COUNTERSIGN_DATA_DIR=(\S+),/u.exec((refused as Error).message)?.[1] ?? '';
      expect(named).toBe(join(volume, 'data'));
      expect(readdirSync(volume)).toEqual([]);
      (await openDataDirectory(named)).release();
      (await openDataDirectory(named)).release();
      expect([statSync(named).mode & 0o777, readdirSync(volume)]).toEqual([0o700, ['data']]);
    });

    it('and holds data of another user is refused without naming an empty folder', async () => {
      writeFileSync(join(volume, 'lock.db'), '');
      await expect(openDataDirectory(volume)).rejects.toThrow(
        new RegExp(`holds data of user ${us - 1}: start as that user`, 'u'),
      );
    });

    // Giving a file to another user takes root.
    (process.getuid?.() === 0 ? it : it.skip)('and holds our data already is used, with a warning', async () => {
      writeFileSync(join(volume, 'lock.db'), '');
      chownSync(join(volume, 'lock.db'), us, us);
      const said: string[] = [];
      (await openDataDirectory(volume, (what) => said.push(what))).release();
      expect(said).toEqual([expect.stringContaining('mode 0777 and belongs to user')]);
    });
  });

  it.each([
    ['/proc/countersign', 'ENOENT'],
    ['/proc', 'ENOENT'],
    ['/dev/null/data', 'ENOTDIR'],
    ['/dev/null', 'ENOTDIR'],
    [`/tmp/${'x'.repeat(300)}`, 'ENAMETOOLONG'],
  ])('is refused in one line where it cannot be made: %s', async (dataDir, code) => {
    const refused: unknown = await openDataDirectory(dataDir).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DataDirectoryUnusable);
    expect((refused as Error).message).toMatch(
      new RegExp(`^[^\\n]*\\(${code}[^\\n]*COUNTERSIGN_DATA_DIR[^\\n]*$`, 'u'),
    );
  });

  it('that was copied while it was in use is refused; the original after a crash and a copy after a clean stop are not', async () => {
    const dataDir = join(folder, 'original');
    const copy = join(folder, 'copy');
    const lock = await openDataDirectory(dataDir);
    const mark = markRunning(dataDir);
    cpSync(dataDir, copy, { recursive: true });
    // As after a crash: nothing was cleared.
    lock.release();
    expect(() => markRunning(dataDir)).not.toThrow();
    expect(() => markRunning(copy)).toThrow(/was copied while an instance ran .* countersign admin backup/u);
    expect(() => markRunning(copy)).toThrow(DataDirectoryUnusable);
    expect(() => markRunning(copy)).toThrow(/COUNTERSIGN_ALLOW_CHANGED_INODES=true/u);
    expect(() => markRunning(copy, true)).not.toThrow();
    mark.clear();
    rmSync(copy, { recursive: true });
    cpSync(dataDir, copy, { recursive: true });
    expect(() => markRunning(copy)).not.toThrow();
  });
});

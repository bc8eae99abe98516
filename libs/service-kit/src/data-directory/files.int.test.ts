import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataDirectory } from './data-directory.js';
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

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDirectoryUnusable, markRunning, openDataDirectory, readBackupRecord } from '@countersign/process';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { SmallInstance } from '../testing/small-instance.js';
import { backUp, type BackupOptions } from './back-up.js';
import { BackupRefused } from './errors.js';
import { NoBackup, writeManifest, type Manifest } from './manifest.js';
import { restoreCopy } from './restore-copy.js';
import { checkRoom } from './target.js';

const instance = new SmallInstance();
let folder: string;

beforeAll(() => instance.make(), 120_000);
afterAll(() => instance.discard());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'back-up-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const backUpTo = (target: string, progress: BackupOptions['progress'] = () => undefined) =>
  backUp(instance.dataDir, target, { chainIsElsewhere: false, progress });

describe('a backup of a stopped instance', () => {
  it('has every file, and is recorded in the data directory', async () => {
    const target = join(folder, 'backup');
    const { manifest, files } = await backUpTo(target);
    expect(Object.keys(manifest.files)).toHaveLength(files);
    expect(Object.keys(manifest.files)).toEqual(
      expect.arrayContaining([
        'anchoring/authority.json',
        'bootstrap.json',
        'instance-secret',
        'localnet/ledger.db',
        'log.db',
        'policy/policy.sqlite',
        'reporting/keys/first-key',
      ]),
    );
    expect(Object.keys(manifest.files).filter((name) => name.startsWith('reporting/packages/'))).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['backup']);
    const { takenAt } = readBackupRecord(instance.dataDir) ?? {};
    expect(takenAt).toBe(manifest.takenAt);
  }, 60_000);

  it('is refused where it cannot be, with the reason, and leaves nothing', async () => {
    mkdirSync(join(folder, 'used'));
    writeFileSync(join(folder, 'used', 'file'), '');
    symlinkSync(instance.dataDir, join(folder, 'link'));
    mkdirSync(join(folder, 'foreign.incomplete'));
    writeFileSync(join(folder, 'foreign.incomplete', 'file'), '');
    const before = readdirSync(folder, { recursive: true });
    for (const [target, reason] of [
      [instance.dataDir, 'is the data directory itself'],
      [join(instance.dataDir, 'backup'), 'is in the data directory'],
      [join(folder, 'link'), 'is the data directory itself'],
      [join(folder, 'link', 'backup'), 'is in the data directory'],
      [join(folder, 'used'), 'is not empty'],
      [join(folder, 'used', 'file'), 'is a file'],
      [join(folder, 'none', 'backup'), 'is not a folder'],
      [join(folder, 'foreign'), 'no backup has left it'],
    ] as const) {
      const refused: unknown = await backUpTo(target).catch((error: unknown) => error);
      expect([target, refused]).toEqual([target, expect.any(BackupRefused)]);
      expect((refused as Error).message).toContain(reason);
    }
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
    expect(existsSync(join(instance.dataDir, 'backup'))).toBe(false);
  }, 60_000);

  it('is refused where there is no room', () => {
    expect(() => checkRoom(instance.dataDir, join(folder, 'backup'), 2 ** 60)).toThrow(/has no room: .* are needed/u);
  });

  it('is refused if fsck finds something in the copy, and leaves nothing', async () => {
    const log = new Database(join(instance.dataDir, 'log.db'));
    const shift = (by: number): void =>
      void log.prepare('UPDATE topic_agent_events SET appended_at = appended_at + ? WHERE record_offset = 3').run(by);
    shift(1);
    try {
      await expect(backUpTo(join(folder, 'backup'))).rejects.toThrow(/FINDINGS[^]*The copy has these findings/u);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      shift(-1);
      log.close();
    }
  }, 60_000);

  it('leaves nothing if it is ended in the middle, and a folder that a killed one left is replaced', async () => {
    const target = join(folder, 'backup');
    for (const step of ['copy', 'check', 'hash']) {
      const ended = backUpTo(target, (at) => {
        if (at === step) throw new Error(`ended at ${step}`);
      });
      await expect(ended).rejects.toThrow(`ended at ${step}`);
      expect(readdirSync(folder)).toEqual([]);
    }
    const draft = `${target}.incomplete`;
    (await openDataDirectory(draft)).release();
    writeFileSync(join(draft, 'log.db'), 'half a file');
    await backUpTo(target);
    expect(readdirSync(folder)).toEqual(['backup']);
  }, 60_000);

  it('is refused while another command writes it', async () => {
    const target = join(folder, 'backup');
    let second: Promise<unknown> | null = null;
    await backUpTo(target, () => {
      second ??= backUpTo(target).catch((error: unknown) => error);
    });
    // SQLite locks a file against other processes and other connections alike.
    await expect(Promise.resolve(second)).resolves.toEqual(expect.any(BackupRefused));
  }, 60_000);

  it('cannot be started on before it is complete', async () => {
    const target = join(folder, 'backup');
    let refused: unknown = null;
    await backUpTo(target, () => {
      try {
        markRunning(`${target}.incomplete`, true);
      } catch (error) {
        refused ??= error;
      }
    });
    expect(refused).toBeInstanceOf(DataDirectoryUnusable);
    expect((refused as Error).message).toContain('is an incomplete backup');
    const lock = await openDataDirectory(target);
    markRunning(target).clear();
    lock.release();
  }, 60_000);
});

describe('a backup that is restored', () => {
  let backup: string;
  let manifest: Manifest;
  let restored = 0;
  beforeAll(async () => {
    backup = join(instance.folder, 'backup');
    ({ manifest } = await backUpTo(backup));
  }, 60_000);

  const differences = async (): Promise<readonly string[]> => {
    const target = join(folder, `restored-${(restored += 1)}`);
    mkdirSync(target);
    return (await restoreCopy(backup, target, () => undefined)).differences;
  };

  it('is the same, file by file', async () => {
    expect(await differences()).toEqual([]);
    for (const name of Object.keys(manifest.files)) {
      expect(readFileSync(join(folder, `restored-${restored}`, name))).toEqual(readFileSync(join(backup, name)));
    }
  });

  it('shows a flipped bit wherever it is, and names the file', async () => {
    const names = [...Object.keys(manifest.files), 'backup.json'];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), fc.nat(), fc.nat(7), async (name, place, bit) => {
        const file = join(backup, name);
        const whole = readFileSync(file);
        const flipped = Buffer.from(whole);
        flipped[place % flipped.length]! ^= 1 << bit;
        writeFileSync(file, flipped);
        try {
          if (name === 'backup.json') await expect(differences()).rejects.toThrow(NoBackup);
          else expect(await differences()).toEqual([`${name} was changed: its hash is another`]);
        } finally {
          writeFileSync(file, whole);
        }
      }),
      { numRuns: 60 },
    );
    expect(await differences()).toEqual([]);
  }, 60_000);

  it('shows files that are missing, cut short or added', async () => {
    const log = readFileSync(join(backup, 'log.db'));
    writeFileSync(join(backup, 'log.db'), log.subarray(1));
    writeFileSync(join(backup, 'log.db-wal'), 'x');
    const key = readFileSync(join(backup, 'reporting/keys/first-key'));
    rmSync(join(backup, 'reporting/keys/first-key'));
    expect([...(await differences())].sort()).toEqual([
      `log.db has ${log.length - 1} bytes instead of ${log.length}`,
      'log.db-wal was added',
      'reporting/keys/first-key is missing',
    ]);
    writeFileSync(join(backup, 'log.db'), log);
    writeFileSync(join(backup, 'reporting/keys/first-key'), key);
    rmSync(join(backup, 'log.db-wal'));
    expect(await differences()).toEqual([]);
  });

  it('is not restored from a manifest that names files elsewhere', async () => {
    const forged = join(folder, 'forged');
    mkdirSync(forged);
    await writeManifest(forged, { ...manifest, files: { '../outside': { bytes: 1, sha256: '' } } });
    await expect(restoreCopy(forged, join(folder, 'target'), () => undefined)).rejects.toThrow(
      'names a file outside the backup: ../outside',
    );
  });
});

const mounts = mountsAreAllowed();
(mounts ? describe : describe.skip)(`a file system that is full${mounts ? '' : ', needs the right to mount'}`, () => {
  const MEBIBYTES = 8;
  beforeEach(() => mount(MEBIBYTES));
  afterEach(() => unmount());
  const volume = (): string => join(folder, 'volume');

  it('is found before anything is copied', async () => {
    writeFileSync(join(volume(), 'filler'), Buffer.alloc((MEBIBYTES - 0.5) * 1024 * 1024));
    await expect(backUpTo(join(volume(), 'backup'))).rejects.toThrow(/volume has no room: 0\.\d MiB are free/u);
    expect(readdirSync(volume())).toEqual(['filler']);
  }, 60_000);

  it('that fills up meanwhile ends the backup, with nothing left', async () => {
    const fill = (): void => {
      try {
        writeFileSync(join(volume(), 'filler'), Buffer.alloc(MEBIBYTES * 1024 * 1024));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    };
    await expect(backUpTo(join(volume(), 'backup'), fill)).rejects.toThrow(
      /cannot be written: the file system is full/u,
    );
    expect(readdirSync(volume())).toEqual(['filler']);
  }, 60_000);

  it('may not be the mount point itself', async () => {
    await expect(backUpTo(volume())).rejects.toThrow('is a link or a mount point: name a folder below it');
  });
});

function mount(mebibytes: number): void {
  mkdirSync(join(folder, 'volume'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', join(folder, 'volume')], {
    stdio: 'pipe',
  });
}

function unmount(): void {
  execFileSync('umount', [join(folder, 'volume')]);
}

function mountsAreAllowed(): boolean {
  folder = mkdtempSync(join(tmpdir(), 'back-up-'));
  try {
    mount(1);
    unmount();
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

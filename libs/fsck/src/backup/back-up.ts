import { constants, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readSqliteLog } from '@countersign/event-log';
import { recordBackup, syncFolder } from '@countersign/process';
import { examine, type Examination } from '../fsck.js';
import { placeOf } from '../layout.js';
import { showReport } from '../show-report.js';
import { takeCut, type Cut } from './cut.js';
import { BackupRefused, explained } from './errors.js';
import { factsOf, writeManifest, type FileFacts, type Manifest } from './manifest.js';
import { listSource, type SourceFiles } from './source-files.js';
import { checkRoom, checkTarget, openDraft } from './target.js';

/** `copy` and `hash` count bytes, `check` counts events. */
export type BackupStep = 'copy' | 'check' | 'hash';

export interface BackupOptions {
  /** Called often; an error that it throws ends the backup. */
  readonly progress: (step: BackupStep, done: number, total: number) => void;
  /** Called when the state to copy is fixed and no store is locked any more. */
  readonly afterCut?: () => void;
  /** Anchors are on a chain outside the data directory, which is not asked. */
  readonly chainIsElsewhere: boolean;
}

export interface BackupDone {
  readonly manifest: Manifest;
  readonly examination: Examination;
  readonly files: number;
  readonly bytes: number;
  readonly seconds: number;
  /** How long the stores accepted no writes, ms. */
  readonly heldMs: number;
}

/** Pages of SQLite that are copied in one step; between steps progress is reported and the command may be ended. */
const PAGES = 256;

/**
 * Copies a data directory of the embedded profile to a new folder while an instance runs on it: all databases and files as
 * of one moment. The copy is checked as `fsck` checks a stopped instance, and appears under its name when that found
 * nothing. Its folder is a data directory that an instance can start on.
 * @param target absolute; does not exist, or is empty
 * @throws BackupRefused
 */
export async function backUp(dataDir: string, target: string, options: BackupOptions): Promise<BackupDone> {
  const begun = performance.now();
  if (!existsSync(placeOf(dataDir, 'log'))) throw new BackupRefused(`${dataDir} is no data directory: it has no log`);
  const place = checkTarget(dataDir, target);
  const source = listSource(dataDir);
  const total = sizeOf(dataDir, source);
  checkRoom(dataDir, place, total);
  try {
    const draft = await openDraft(place);
    try {
      const copy = new Copy(dataDir, draft.folder, total, options);
      const cut = await copy.take(source);
      const examination = await examine(draft.folder, options.chainIsElsewhere, (done, of) =>
        options.progress('check', done, of),
      );
      if (examination.report.count > 0) {
        throw new BackupRefused(
          `${showReport(dataDir, examination)}The copy has these findings and was removed. Stop the instance and run ` +
            'countersign fsck; if that is clean, try again',
        );
      }
      await syncFolders(draft.folder, copy.names);
      const manifest = await manifestOf(draft.folder, copy.names, cut.takenAt, total, options.progress);
      await writeManifest(draft.folder, manifest);
      await draft.finish();
      const bytes = Object.values(manifest.files).reduce((sum, file) => sum + file.bytes, 0);
      const seconds = (performance.now() - begun) / 1000;
      await recordBackup(dataDir, { takenAt: manifest.takenAt, bytes, seconds });
      return { manifest, examination, files: copy.names.length, bytes, seconds, heldMs: cut.heldMs };
    } catch (error) {
      draft.discard();
      throw error;
    }
  } catch (error) {
    throw explained(error, target);
  }
}

/** Copies to one folder. */
class Copy {
  /** Of the copied files. */
  readonly names: string[] = [];
  #done = 0;

  constructor(
    private readonly dataDir: string,
    private readonly folder: string,
    private readonly total: number,
    private readonly options: BackupOptions,
  ) {}

  /**
   * Bodies of reports never change: most are copied before the cut. One that is removed afterwards, which the stores of
   * the cut still name, has been copied then.
   */
  async take(source: SourceFiles): Promise<Pick<Cut, 'takenAt' | 'heldMs'>> {
    const early = new Set<string>();
    for (const name of source.packages) if (await this.#body(name)) early.add(name);
    const cut = await takeCut(this.dataDir, source.databases);
    try {
      this.options.afterCut?.();
      for (const { name, connection } of cut.databases) {
        await this.#database(name, connection);
        connection.close();
      }
      for (const [name, content] of cut.others) {
        writeFileSync(this.#placeOf(name), content, { mode: 0o600, flag: 'wx' });
        this.#copied(name, content.length);
      }
      for (const name of cut.packages) {
        if (!early.delete(name) && !(await this.#body(name))) {
          throw new BackupRefused('a report was withdrawn while its body was being copied: try again');
        }
      }
      // Withdrawn before the cut.
      for (const name of early) {
        rmSync(join(this.folder, name));
        this.names.splice(this.names.indexOf(name), 1);
      }
      return cut;
    } finally {
      cut.close();
    }
  }

  async #database(name: string, connection: Cut['databases'][number]['connection']): Promise<void> {
    const before = this.#done;
    const place = this.#placeOf(name);
    const pageSize = Number(connection.pragma('page_size', { simple: true }));
    await connection.backup(place, {
      progress: ({ totalPages, remainingPages }) => {
        this.options.progress(
          'copy',
          Math.min(this.total, before + (totalPages - remainingPages) * pageSize),
          this.total,
        );
        return PAGES;
      },
    });
    this.#copied(name, statSync(place).size);
  }

  /** `false`: it has been removed. */
  async #body(name: string): Promise<boolean> {
    const place = this.#placeOf(name);
    try {
      await copyFile(join(this.dataDir, name), place, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
    this.#copied(name, statSync(place).size);
    return true;
  }

  #copied(name: string, bytes: number): void {
    this.names.push(name);
    this.#done += bytes;
    this.options.progress('copy', Math.min(this.#done, this.total), this.total);
  }

  #placeOf(name: string): string {
    const place = join(this.folder, name);
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    return place;
  }
}

async function manifestOf(
  folder: string,
  names: readonly string[],
  takenAt: Date,
  total: number,
  progress: BackupOptions['progress'],
): Promise<Manifest> {
  const files: Record<string, FileFacts> = {};
  let read = 0;
  for (const name of [...names].sort()) {
    files[name] = await factsOf(join(folder, name), (bytes) => {
      read += bytes;
      progress('hash', Math.min(read, total), total);
    });
  }
  return { format: 1, takenAt: takenAt.toISOString(), newestEventAt: newestEventOf(folder), files };
}

async function syncFolders(folder: string, names: readonly string[]): Promise<void> {
  for (const below of new Set(names.map(dirname))) await syncFolder(join(folder, below));
}

/** When the newest event was appended; `null`: there is none. */
function newestEventOf(folder: string): string | null {
  const file = placeOf(folder, 'log');
  const log = readSqliteLog(file);
  try {
    const end = log.endOffsets('agent-events')[0] ?? 0;
    const begin = log.beginOffsets('agent-events')[0] ?? 0;
    const newest = end > begin ? log.read('agent-events', end - 1, 1)[0] : undefined;
    return newest === undefined ? null : new Date(newest.appendedAtMs).toISOString();
  } finally {
    log.close();
    // Reading in WAL mode has created them, empty.
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  }
}

/** Bytes of all files, with what the write-ahead logs hold. */
function sizeOf(dataDir: string, { databases, packages, others }: SourceFiles): number {
  const names = [...databases, ...databases.map((name) => `${name}-wal`), ...packages, ...others];
  return names.reduce((sum, name) => sum + (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0), 0);
}

import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { readLedger, type LedgerReader } from '@countersign/chain';
import { OtherLayout } from '@countersign/document-store';
import { readSqliteLog, verifyLog, type StoredLog } from '@countersign/event-log';
import type { AlertInspection } from '@countersign/alerts';
import type { AnchorInspection } from '@countersign/anchoring';
import type { ArchiveInspection, HoldInspection } from '@countersign/audit-log';
import type { IdentityInspection } from '@countersign/identity';
import type { PolicyInspection } from '@countersign/policy';
import type { ReportInspection } from '@countersign/reporting';
import type { FactInspection } from '@countersign/verification';
import { LAYOUT, placeOf, STORE_NAMES, type StoreName } from './layout.js';
import type { Check } from './report.js';

export type Store = Database.Database;

/** The stores of the services, open for reading; `null`: it cannot be read, which is a finding already. */
export interface ServiceStores {
  readonly alerts: AlertInspection | null;
  readonly anchors: AnchorInspection | null;
  readonly archive: ArchiveInspection | null;
  readonly holds: HoldInspection | null;
  readonly identity: IdentityInspection | null;
  readonly policy: PolicyInspection | null;
  readonly reports: ReportInspection | null;
  readonly facts: FactInspection | null;
}

/** The files of a stopped instance. */
export interface Stores extends ServiceStores {
  readonly log: StoredLog | null;
  readonly ledger: LedgerReader | null;
  close(): Promise<void>;
}

/** A release without holds has not made the file. */
const HOLDS_MISSING = 'restore it from a backup; after an upgrade, start this release once, and stop it';
const RESTORE = 'restore the file from a backup; it has been left as it is';

/** Opens every file and checks its pages. Changes and creates nothing. */
export async function openStores(dataDir: string, files: Check): Promise<Stores> {
  const tidy = leftovers(dataDir);
  const isSound = new Map(STORE_NAMES.map((name) => [name, checkPages(dataDir, name, files)]));
  const inspected = <T>(name: StoreName, open: (file: string) => Promise<T>) =>
    isSound.get(name) === true ? inspect(LAYOUT[name], () => open(placeOf(dataDir, name)), files, RESTORE) : null;
  const alerts = await inspected('alerts', async (file) => {
    return (await import('@countersign/alerts')).inspectAlerts({ file });
  });
  const anchors = await inspected('anchors', async (file) => {
    return (await import('@countersign/anchoring')).inspectAnchors({ file });
  });
  const archive = await inspected('archive', async (file) => {
    return (await import('@countersign/audit-log')).inspectArchive({ file });
  });
  const holds = await inspected('holds', async (file) => {
    return (await import('@countersign/audit-log')).inspectHolds({ file });
  });
  const identity = await inspected('identity', async (file) => {
    return (await import('@countersign/identity')).inspectIdentity({ file });
  });
  const policy = await inspected('policy', async (file) => {
    return (await import('@countersign/policy')).inspectPolicy({ file });
  });
  const reports = await inspected('reports', async (file) => {
    return (await import('@countersign/reporting')).inspectReports({ file });
  });
  const facts = await inspected('facts', async (file) => {
    return (await import('@countersign/verification')).inspectFacts({ file });
  });
  const log = openLog(dataDir, files);
  const ledger = await openLedger(dataDir, files);
  return {
    alerts,
    anchors,
    archive,
    holds,
    identity,
    policy,
    reports,
    facts,
    log,
    ledger,
    async close() {
      await alerts?.close();
      await anchors?.close();
      await archive?.close();
      await holds?.close();
      await identity?.close();
      await policy?.close();
      await reports?.close();
      await facts?.close();
      log?.close();
      ledger?.close();
      tidy();
    },
  };
}

/** Message of an error about a file, without the file's name in front. */
function withoutPath(problem: string, file: string): string {
  const rest = problem.startsWith(file) ? problem.slice(file.length).replace(/^:? /, '') : problem;
  return rest.replaceAll(file, 'the file');
}

/** SQLite creates two files next to a database that it reads in WAL mode: those that were not there are removed again. */
function leftovers(dataDir: string): () => void {
  const files = [...STORE_NAMES.map((name) => LAYOUT[name]), LAYOUT.log, `${LAYOUT.ledger}/ledger.db`];
  const made = files.map((file) => join(dataDir, file)).filter((file) => !existsSync(`${file}-wal`));
  return () => {
    for (const file of made) {
      const wal = statSync(`${file}-wal`, { throwIfNoEntry: false });
      if (wal !== undefined && wal.size > 0) continue;
      for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
    }
  };
}

/** `false`: it is missing or damaged, which is a finding then. */
function checkPages(dataDir: string, name: StoreName, files: Check): boolean {
  const file = placeOf(dataDir, name);
  files.examined += 1;
  if (!existsSync(file)) {
    files.wrong(LAYOUT[name], 'the file is missing', name === 'holds' ? HOLDS_MISSING : 'restore it from a backup');
    return false;
  }
  let store: Store | undefined;
  try {
    store = new Database(file, { readonly: true, fileMustExist: true });
    const answer: unknown = store.pragma('quick_check(1)', { simple: true });
    if (answer === 'ok') return true;
    files.wrong(LAYOUT[name], `SQLite finds its pages damaged: ${String(answer)}`, RESTORE);
  } catch (error) {
    files.wrong(LAYOUT[name], `it cannot be read: ${words(error)}`, RESTORE);
  } finally {
    store?.close();
  }
  return false;
}

/**
 * Opens a store for inspection. Gives `null` where it was written by another release, which is a finding then.
 * @param advice where another reason keeps it from being read
 */
export async function inspect<T>(
  name: string,
  open: () => Promise<T>,
  files: Check,
  advice: string | null,
): Promise<T | null> {
  try {
    return await open();
  } catch (error) {
    const isOther = error instanceof OtherLayout;
    if (!isOther && advice === null) throw error;
    files.wrong(name, `it cannot be read: ${words(error)}`, isOther ? START_ONCE : advice!);
    return null;
  }
}

const START_ONCE = 'start this release on it once, and stop it';

function openLog(dataDir: string, files: Check): StoredLog | null {
  const file = placeOf(dataDir, 'log');
  files.examined += 1;
  for (const problem of verifyLog(file)) files.wrong(LAYOUT.log, withoutPath(problem, file), RESTORE);
  if (existsSync(`${file}.failed`)) {
    files.note(`${LAYOUT.log}.failed: a write had failed; the next start takes the log over`);
  }
  try {
    return readSqliteLog(file);
  } catch {
    // verifyLog has named it.
    return null;
  }
}

async function openLedger(dataDir: string, files: Check): Promise<LedgerReader | null> {
  try {
    const ledger = await readLedger(placeOf(dataDir, 'ledger'));
    if (ledger === null) return null;
    files.examined += 1;
    const broken = ledger.firstBroken();
    if (broken !== null) {
      files.wrong(`${LAYOUT.ledger}/ledger.db transaction ${broken}`, 'it is missing or was changed', RESTORE);
    }
    return ledger;
  } catch (error) {
    files.examined += 1;
    const problem = words(error).replaceAll(placeOf(dataDir, 'ledger'), LAYOUT.ledger);
    files.wrong(`${LAYOUT.ledger}/ledger.db`, problem, RESTORE);
    return null;
  }
}

export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

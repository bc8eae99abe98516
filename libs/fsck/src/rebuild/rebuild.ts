import { existsSync, linkSync, mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { openSolanaChain, readLedger, type Chain } from '@countersign/chain';
import { readSqliteLog, type StoredLogFile } from '@countersign/event-log';
import type { Config } from '@countersign/process';
import type { ArchiveInspection } from '@countersign/audit-log';
import type { RestoreContext } from '@countersign/service-kit';
import { LAYOUT, placeOf } from '../layout.js';
import { words, type Store } from '../open-stores.js';
import type { Report } from '../report.js';
import { olderEvents } from './older-events.js';
import { readingLog } from './reading-log.js';
import { rebuildDamaged, toBeMade, type Rebuilt } from './rebuild-damaged.js';
import { stoppedChain } from './stopped-chain.js';
import type { Projection } from './stores.js';
import { swapIn, type Step } from './swap-in.js';

export interface RebuildOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly progress: (what: string) => void;
  /** For tests: called between the steps of a swap. */
  readonly at?: (file: string, step: Step) => void;
}

const BESIDE = 'rebuilding';

/**
 * Rebuilds the projections that findings name from the log, each in a file next to its own, and swaps it in. The log is
 * only read. The caller holds the data directory. A repetition begins again where one was interrupted.
 * @param report of an examination of the same directory
 */
export async function rebuildStores(
  dataDir: string,
  report: Report,
  options: RebuildOptions,
): Promise<readonly Rebuilt[]> {
  const log = toBeMade(report).length === 0 ? null : readSqliteLog(placeOf(dataDir, 'log'));
  try {
    return await rebuildDamaged(report, {
      backup: 'the whole data directory',
      inWords: (text) => text,
      make: (projection) => rebuildOne(dataDir, projection, log!, options),
    });
  } finally {
    log?.close();
  }
}

async function rebuildOne(
  dataDir: string,
  projection: Projection,
  log: StoredLogFile,
  options: RebuildOptions,
): Promise<Omit<Rebuilt, 'file'>> {
  const { name } = projection;
  const file = placeOf(dataDir, name);
  const directory = join(dirname(file), BESIDE);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const damaged = openDamaged(file);
  const archive = name === 'archive' ? await inspectDamaged(file) : null;
  const closing: (() => unknown)[] = [];
  try {
    const unpublished = unpublishedIn(damaged);
    if (unpublished > 0)
      throw new Error(`${unpublished} changes in it are not published yet: start the instance once, and stop it`);
    if (name === 'anchors' && existsSync(placeOf(dataDir, 'authority')))
      linkSync(placeOf(dataDir, 'authority'), join(directory, basename(LAYOUT.authority)));
    const context = contextOf(dataDir, directory, log, options, closing);
    const fresh = join(directory, basename(file));
    const { progress } = options;
    const lost = await projection.rebuild({ context, older: () => olderEvents(log, archive), progress });
    await archive?.close();
    const notTaken = name === 'archive' ? await acknowledgements(file, fresh) : null;
    close(damaged);
    settleFresh(fresh);
    const aside = swapIn(file, fresh, new Date(), (step) => options.at?.(LAYOUT[name], step));
    const kept = aside === null ? null : join(dirname(LAYOUT[name]), basename(aside));
    return { aside: kept, refused: null, lost: notTaken === null ? lost : [...lost, notTaken] };
  } catch (error) {
    return { aside: null, refused: words(error), lost: [] };
  } finally {
    for (const end of closing) await end();
    close(damaged);
    await archive?.close().catch(() => undefined);
    // What was made and not swapped in holds content that no later erasure would reach.
    rmSync(directory, { recursive: true, force: true });
  }
}

function openDamaged(file: string): Store | null {
  try {
    return new Database(file, { readonly: true, fileMustExist: true });
  } catch {
    return null;
  }
}

/** `null`: it cannot be read. */
async function inspectDamaged(file: string): Promise<ArchiveInspection | null> {
  try {
    return await (await import('@countersign/audit-log')).inspectArchive({ file });
  } catch {
    return null;
  }
}

async function acknowledgements(damaged: string, fresh: string): Promise<string | null> {
  return (await import('@countersign/audit-log')).takeAcknowledgements(damaged, fresh);
}

function close(store: Store | null): void {
  try {
    store?.close();
  } catch {
    // A query that broke off has left a row open: the end of the process closes it.
  }
}

/** Records that wait in its outbox, of either layout: they are in no topic. */
function unpublishedIn(store: Store | null): number {
  return countIn(store, 'outbox') + countIn(store, 'doc_outbox');
}

/** 0 where the table is missing or cannot be read. */
function countIn(store: Store | null, table: string): number {
  try {
    return store?.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
  } catch {
    return 0;
  }
}

/** All of it in the file itself, none in a write-ahead log. @throws where the new one is not sound */
function settleFresh(fresh: string): void {
  const store = new Database(fresh, { fileMustExist: true });
  store.pragma('wal_checkpoint(TRUNCATE)');
  const answer: unknown = store.pragma('quick_check(1)', { simple: true });
  store.close();
  if (answer !== 'ok') throw new Error(`what was made is not sound: ${String(answer)}`);
}

function contextOf(
  dataDir: string,
  directory: string,
  log: StoredLogFile,
  { config, log: logger }: RebuildOptions,
  closing: (() => unknown)[],
): RestoreContext {
  return {
    config,
    log: logger,
    metrics: new Registry(),
    clock: () => Date.now(),
    eventLog: readingLog(log),
    directory,
    openStore: async (adapters) => adapters.sqlite(),
    chain: async () => {
      const chain = await openChain(dataDir, config, closing);
      closing.push(() => chain.close());
      return chain;
    },
  };
}

async function openChain(dataDir: string, config: Config, closing: (() => unknown)[]): Promise<Chain> {
  if (config.solanaRpcUrls.length > 0) return openSolanaChain({ urls: config.solanaRpcUrls });
  const ledger = await readLedger(placeOf(dataDir, 'ledger'));
  if (ledger === null) throw new Error('the ledger that windows are anchored in is missing');
  closing.push(() => ledger.close());
  return stoppedChain(ledger);
}

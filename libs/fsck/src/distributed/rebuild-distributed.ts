import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import type { ArchiveInspection } from '@countersign/audit-log';
import { openSolanaChain, type Chain } from '@countersign/chain';
import type { EventLog } from '@countersign/event-log';
import type { Config } from '@countersign/process';
import type { StoreRebuild } from '@countersign/document-store';
import type { RestoreContext } from '@countersign/service-kit';
import { LAYOUT } from '../layout.js';
import { words } from '../open-stores.js';
import { rebuildDamaged, toBeMade, type Rebuilt } from '../rebuild/rebuild-damaged.js';
import { onlyReading } from '../rebuild/reading-log.js';
import type { Projection } from '../rebuild/stores.js';
import type { Report } from '../report.js';
import { inDistributedWords } from './names.js';
import { olderPlaces } from './older-places.js';
import { openServerLog, reading, uriOf } from './servers.js';
import { ServiceRuns } from './refusals.js';
import { inUse, openStoreRebuild } from './store-rebuilds.js';

/**
 * Between the beginning of a rebuild and the moment at which it replaces the store, ms: transactions that did not see it
 * begin have ended by then, and instances that had opened the store have joined their group, or lead.
 */
const SETTLE_MS = 10_000;

export interface RebuildOptions {
  readonly log: Logger;
  readonly progress: (what: string) => void;
}

interface Work {
  readonly config: Config;
  readonly eventLog: EventLog;
  readonly stores: ReadonlyMap<Projection['name'], StoreRebuild>;
  /** When the rebuild of all stores had begun. */
  readonly begunMs: number;
  readonly chain: () => Promise<Chain>;
  readonly options: RebuildOptions;
}

/**
 * Rebuilds the projections that findings name from Kafka, each in collections of its own, which replace those in use where
 * no instance of its service runs. The log is only read. An interrupted rebuild has changed nothing.
 * @param report of an examination of the same installation
 * @throws ServiceRuns before anything is made; NotReadable
 */
export async function rebuildDistributed(
  config: Config,
  report: Report,
  options: RebuildOptions,
): Promise<readonly Rebuilt[]> {
  const closing: (() => Promise<unknown>)[] = [];
  try {
    const stores = new Map<Projection['name'], StoreRebuild>();
    for (const { name } of toBeMade(report)) {
      const store = await openStoreRebuild(name, config);
      closing.push(() => store.close());
      stores.set(name, store);
    }
    await requireStopped(stores, config);
    const eventLog = await reading('Kafka', openServerLog(config));
    closing.push(() => eventLog.close());
    let opened: Promise<Chain> | null = null;
    closing.push(async () => (await opened?.catch(() => null))?.close());
    for (const store of stores.values()) {
      closing.push(() => store.generation.discard());
      await store.generation.begin();
    }
    const chain = (): Promise<Chain> => (opened ??= openSolanaChain({ urls: config.solanaRpcUrls }));
    const work: Work = { config, eventLog, stores, begunMs: performance.now(), chain, options };
    return await rebuildDamaged(report, {
      backup: 'the database',
      inWords: inDistributedWords,
      make: (projection) => rebuildOne(projection, work),
    });
  } finally {
    for (const close of closing.reverse()) await close().catch(() => undefined);
  }
}

async function requireStopped(stores: ReadonlyMap<Projection['name'], StoreRebuild>, config: Config): Promise<void> {
  for (const [name, store] of stores) {
    const why = await reading('Kafka', inUse(store, config));
    if (why !== null) throw new ServiceRuns(`${inDistributedWords(LAYOUT[name])} is in use: ${why}`);
  }
}

async function rebuildOne(projection: Projection, work: Work): Promise<Omit<Rebuilt, 'file'>> {
  const { config, eventLog, stores, begunMs, options } = work;
  const { name } = projection;
  const store = stores.get(name)!;
  const { generation } = store;
  let damaged: ArchiveInspection | null = null;
  try {
    // Transactions that began before the rebuild, and do not know of it, have ended then: what they wrote is read below.
    await sleep(Math.max(0, begunMs + SETTLE_MS - performance.now()));
    await requirePublished(store);
    const begins = await eventLog.beginOffsets('agent-events');
    const isRead = name === 'archive' && Object.values(begins).some((begin) => begin > 0);
    if (isRead) damaged = await (await import('@countersign/audit-log')).inspectArchive({ uri: uriOf(config) });
    const context = contextOf(generation.suffix, work);
    const { progress } = options;
    const lost = await projection.rebuild({ context, older: () => olderPlaces(begins, damaged), progress });
    const notTaken = await store.takeOver(generation.suffix);
    const kept = await generation.replace(new Date(), { inUse: () => inUse(store, config) });
    const aside = kept === null ? null : inDistributedWords(LAYOUT[name]) + kept;
    return { aside, refused: null, lost: [...lost, ...notTaken] };
  } catch (error) {
    return { aside: null, refused: inDistributedWords(words(error)), lost: [] };
  } finally {
    await damaged?.close();
    // What was filled and not put in use holds content that no later erasure would reach.
    await generation.discard().catch(() => undefined);
  }
}

/** @throws where changes are not published yet: no topic has them */
async function requirePublished(store: StoreRebuild): Promise<void> {
  const unpublished = (await store.unpublished?.()) ?? 0;
  if (unpublished > 0)
    throw new Error(`${unpublished} changes in it are not published yet: start the service once, and stop it`);
}

function contextOf(suffix: string, { config, eventLog, chain, options }: Work): RestoreContext {
  const mongodbUri = uriOf(config);
  return {
    config,
    log: options.log,
    metrics: new Registry(),
    clock: () => Date.now(),
    eventLog: onlyReading(eventLog),
    // Only anchoring has a file there: the authority's key.
    directory: join(config.dataDir, 'anchoring'),
    openStore: (adapters) => adapters.mongo(mongodbUri, suffix),
    chain,
  };
}

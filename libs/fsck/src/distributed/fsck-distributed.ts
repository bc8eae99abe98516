import type { Config } from '@countersign/process';
import { openRedisCounters, type Counters } from '@countersign/counters';
import { openSolanaChain } from '@countersign/chain';
import { MAX_PACKAGE_BYTES } from '../check-reports.js';
import type { Progress } from '../compare-events.js';
import { examineStores } from '../examine-stores.js';
import type { Examination } from '../fsck.js';
import type { ServiceStores } from '../open-stores.js';
import { Report, type Check } from '../report.js';
import { chainOnNodes } from './chain-on-nodes.js';
import { checkCounters } from './check-counters.js';
import { partitionedEvents } from './partitioned-events.js';
import { inDistributedWords } from './names.js';
import { FetchedLog, newerKeys } from './read-log.js';
import { inspectStores } from './read-stores.js';
import { openServerLog, reading, uriOf } from './servers.js';

const COUNTERS_MS = 5000;
const FROM_BACKUP = 'restore the database from a backup';

/**
 * Holds everything that an installation of the distributed profile stores against everything else, reading only. It may
 * run: the stores are read before the log, so that what came meanwhile is what they are behind.
 * @throws NotReadable
 */
export async function examineDistributed(config: Config, progress: Progress): Promise<Examination> {
  const report = new Report(inDistributedWords);
  const files = report.check('stores', 'collections read', FROM_BACKUP);
  const closing: (() => unknown)[] = [];
  try {
    const stores = await readStores(config, files, closing);
    const live = await reading('Kafka', openServerLog(config));
    closing.push(() => live.close());
    const log = await reading('Kafka', FetchedLog.fetch(live));
    closing.push(() => log.close());
    const chain = await openSolanaChain({ urls: config.solanaRpcUrls });
    closing.push(() => chain.close());
    const ledger = await reading('the chain', chainOnNodes(chain));
    const { readStoredPackages } = await import('@countersign/reporting');
    const packages = await reading('MongoDB', readStoredPackages(uriOf(config)));
    closing.push(() => packages.close());
    const windows = await examineStores(
      {
        ...stores,
        dataDir: config.dataDir,
        isEmbedded: false,
        log,
        events: () => partitionedEvents(live, log),
        newerKeys: (topic) => newerKeys(live, log, topic),
        ledger,
        noChain: null,
        counters: (accounts, check) => checkCounters(() => openCounters(config), accounts, check),
        packages: {
          has: async (name) => (await packages.size(name)) !== null,
          read: async (name) => (((await packages.size(name)) ?? 0) > MAX_PACKAGE_BYTES ? null : packages.read(name)),
        },
      },
      report,
      progress,
    );
    return { report, windows };
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function readStores(config: Config, files: Check, closing: (() => unknown)[]): Promise<ServiceStores> {
  const stores = await reading('MongoDB', inspectStores(uriOf(config), files));
  for (const store of Object.values(stores) as ServiceStores[keyof ServiceStores][]) closing.push(() => store?.close());
  return stores;
}

function openCounters({ redisUrl, redisPrefix }: Config): Promise<Counters> {
  return openRedisCounters({ url: redisUrl ?? '', prefix: redisPrefix, deadlineMs: COUNTERS_MS });
}

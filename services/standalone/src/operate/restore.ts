import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { openSolanaChain, type Chain } from '@countersign/chain';
import type { ServiceName } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { ConfigurationError, type Config } from '@countersign/process';
import type { RestoreContext, RestoreOptions, Restored } from '@countersign/service-kit';
import { openLog } from './open-log.js';

export interface RestoredService extends Restored {
  readonly name: ServiceName;
}

type Restores = (context: RestoreContext, options: RestoreOptions) => Promise<Restored>;

/** Services that publish their state to compacted topics. The one that can report running services comes first. */
const OWNERS: readonly (readonly [ServiceName, () => Promise<Restores>])[] = [
  ['anchoring', async () => (await import('@countersign/anchoring')).restoreFromTopics],
  ['identity', async () => (await import('@countersign/identity')).restoreFromTopics],
  ['policy', async () => (await import('@countersign/policy')).restoreFromTopics],
  ['reporting', async () => (await import('@countersign/reporting')).restoreFromTopics],
];

/**
 * Brings the stores of a stopped installation, restored from an older copy, up to the published state. Refusals of any of
 * them are found before the first of them is changed. A repetition continues where one was interrupted.
 * @returns the result of each service, in call order
 * @throws ConfigurationError in the embedded profile; RestoreRefused, TopicDiffers, AuthorityKeyMissing; Error if a
 *   server cannot be reached
 */
export async function restore(
  config: Config,
  log: Logger,
  { dryRun, progress }: RestoreOptions,
): Promise<readonly RestoredService[]> {
  if (config.profile === 'embedded') {
    throw new ConfigurationError([
      'the embedded profile keeps log and stores in one folder: put its data directory back whole, from one copy; ' +
        'COUNTERSIGN_PROFILE=distributed restores from Kafka',
    ]);
  }
  const eventLog = await openLog(config, 'countersign-restore');
  let chain: Promise<Chain> | null = null;
  const openChain = (): Promise<Chain> => (chain ??= openSolanaChain({ urls: config.solanaRpcUrls }));
  try {
    const contextOf = (name: ServiceName): Promise<RestoreContext> =>
      contextFor(name, config, log, eventLog, openChain);
    const looked = await each(contextOf, { dryRun: true, progress });
    return dryRun ? looked : await each(contextOf, { dryRun: false, progress });
  } finally {
    await (await (chain as Promise<Chain> | null))?.close();
    await eventLog.close();
  }
}

async function each(
  contextOf: (name: ServiceName) => Promise<RestoreContext>,
  options: RestoreOptions,
): Promise<readonly RestoredService[]> {
  const restored: RestoredService[] = [];
  for (const [name, load] of OWNERS) {
    const restoreFromTopics = await load();
    restored.push({ name, ...(await restoreFromTopics(await contextOf(name), options)) });
  }
  return restored;
}

async function contextFor(
  name: ServiceName,
  config: Config,
  log: Logger,
  eventLog: EventLog,
  chain: () => Promise<Chain>,
): Promise<RestoreContext> {
  const { mongodbUri } = config;
  if (mongodbUri === null) throw new ConfigurationError(['MONGODB_URI is missing']);
  const directory = join(config.dataDir, name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return {
    config,
    log: log.child({ service: name }),
    metrics: new Registry(),
    clock: () => Date.now(),
    eventLog,
    directory,
    openStore: (adapters) => adapters.mongo(mongodbUri),
    chain,
  };
}

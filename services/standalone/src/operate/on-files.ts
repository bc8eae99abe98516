import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openDataDirectory, type Config } from '@countersign/process';
import { openEmbedded } from '@countersign/service-kit';
import { startServicesThread } from '../threads/services-thread.js';
import type { ServicesThread } from '../threads/services-thread.js';
import { makeSocketPath, removeSocketFolder } from '../threads/socket-path.js';

/** A change of an account or a user needs only the service that owns them. */
const OWNER = ['identity'];

/**
 * Runs identity alone on the files of a stopped instance.
 * @param use ends before identity is stopped
 * @returns `null` if the folder never held an instance; it is left unchanged
 * @throws InstanceRunning while an instance starts or stops
 */
export async function onFiles<T>(
  config: Config,
  log: Logger,
  use: (identity: ServicesThread) => Promise<T>,
): Promise<T | null> {
  if (!existsSync(join(config.dataDir, 'log.db'))) return null;
  const lock = await openDataDirectory(config.dataDir);
  try {
    return await onLocked(config, log, use);
  } finally {
    lock.release();
  }
}

const WITHOUT_EDGE = { state: () => Promise.reject(new Error('no edge runs on these files')) };

async function onLocked<T>(config: Config, log: Logger, use: (identity: ServicesThread) => Promise<T>): Promise<T> {
  const backends = await openEmbedded(config, log);
  try {
    const socketPath = await makeSocketPath(config.dataDir, 'services.sock');
    const identity = startServicesThread(config, backends, socketPath, OWNER, WITHOUT_EDGE);
    try {
      await identity.calls.call('started', undefined);
      return await use(identity);
    } finally {
      await identity.stop();
    }
  } finally {
    await backends.close();
    await removeSocketFolder(config.dataDir);
  }
}

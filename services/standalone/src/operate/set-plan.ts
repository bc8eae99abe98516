import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openDataDirectory, type Config } from '@countersign/process';
import { openEmbedded } from '@countersign/service-kit';
import type { PlanChange } from '@countersign/service-kit';
import { startServicesThread } from '../threads/services-thread.js';
import { makeSocketPath, removeSocketFolder } from '../threads/socket-path.js';
import { askInstance } from './admin-socket.js';
import { operatorsOf } from './operators.js';

/** Only the service that owns accounts is needed to change one. */
const OWNER = ['@countersign/identity'];

/**
 * Puts an account on a plan, in force once it resolves: by the running instance, or where none runs, on its files.
 * A folder that holds no instance has no accounts, and is left as it is.
 * @throws InstanceRunning while an instance starts or stops; what the instance says of terms that cannot be agreed
 */
export async function setPlan(config: Config, log: Logger, change: PlanChange): Promise<'set' | 'unknown-account'> {
  if (config.profile === 'distributed') return (await operatorsOf(config)).account.setPlan(change);
  const answer = await askInstance(config.dataDir, 'setPlan', change);
  if (answer !== null) return answer;
  if (!existsSync(join(config.dataDir, 'log.db'))) return 'unknown-account';
  const lock = await openDataDirectory(config.dataDir);
  try {
    return await setOnFiles(config, log, change);
  } finally {
    lock.release();
  }
}

async function setOnFiles(config: Config, log: Logger, change: PlanChange): Promise<'set' | 'unknown-account'> {
  const backends = await openEmbedded(config, log);
  try {
    const socketPath = await makeSocketPath(config.dataDir, 'services.sock');
    const services = startServicesThread(config, backends, socketPath, OWNER);
    try {
      await services.calls.call('started', undefined);
      return await services.calls.call('setPlan', change);
    } finally {
      await services.stop();
    }
  } finally {
    await backends.close();
    await removeSocketFolder(config.dataDir);
  }
}

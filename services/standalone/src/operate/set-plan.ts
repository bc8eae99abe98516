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

/** A change of an account needs only the service that owns accounts. */
const OWNER = ['identity'];

/**
 * Puts an account on a plan, in force once it resolves: through the running instance, or on the files if none runs.
 * A folder without an instance has no accounts, and is left unchanged.
 * @throws InstanceRunning while an instance starts or stops; the instance's error for terms that cannot be agreed
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

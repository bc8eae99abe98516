import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { openDataDirectory, openEmbedded, type Config } from '@countersign/service-kit';
import { removeSocketFolder } from '../threads/socket-path.js';
import { askInstance } from './admin-socket.js';
import { operatorsOf } from './operators.js';
import { answerKeys, type SigningKeyAnswer, type SigningKeyRequest } from './signing-key-request.js';

/**
 * Lists or changes the signing keys: by the running instance, or where none runs, on its files.
 * @throws InstanceRunning while an instance starts or stops; Error where the folder holds no instance, and with what
 *   whoever owns the keys says of a change that cannot be made
 */
export async function askForKeys(config: Config, log: Logger, request: SigningKeyRequest): Promise<SigningKeyAnswer> {
  if (config.profile === 'distributed') return answerKeys((await operatorsOf(config)).signingKeys, request);
  const answer = await askInstance(config.dataDir, 'signingKeys', request);
  if (answer !== null) return answer;
  if (!existsSync(join(config.dataDir, 'log.db'))) throw new Error(`there is no instance in ${config.dataDir}`);
  const lock = await openDataDirectory(config.dataDir);
  try {
    return await askFiles(config, log, request);
  } finally {
    lock.release();
  }
}

async function askFiles(config: Config, log: Logger, request: SigningKeyRequest): Promise<SigningKeyAnswer> {
  const backends = await openEmbedded(config, log);
  try {
    const directory = join(config.dataDir, 'reporting');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const { operateKeys } = await import('@countersign/reporting');
    const { eventLog } = backends;
    return await answerKeys(await operateKeys({ config, eventLog, log, clock: () => Date.now() }, directory), request);
  } finally {
    await backends.close();
    await removeSocketFolder(config.dataDir);
  }
}

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { EventLog } from '@countersign/event-log';
import { ConfigurationError, openDataDirectory, type Config } from '@countersign/process';
import { openEmbedded } from '@countersign/service-kit';
import { removeSocketFolder } from '../threads/socket-path.js';
import { askInstance } from './admin-socket.js';
import { openLog } from './open-log.js';
import { operatorsOf } from './operators.js';
import { answerKeys, type SigningKeyAnswer, type SigningKeyRequest } from './signing-key-request.js';

/**
 * Lists or changes the signing keys: through the running instance, or on the files if none runs.
 * @param stopped distributed: no instance of reporting runs or starts; its folder is in the data directory
 * @throws InstanceRunning while an instance starts or stops; Error if the folder holds no instance, and for a change that
 *   cannot be made
 */
export async function askForKeys(
  config: Config,
  log: Logger,
  request: SigningKeyRequest,
  stopped = false,
): Promise<SigningKeyAnswer> {
  if (config.profile === 'distributed') {
    if (stopped) return askFolder(config, log, request);
    return answerKeys((await operatorsOf(config)).signingKeys, request);
  }
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
    await mkdir(directoryOf(config), { recursive: true, mode: 0o700 });
    return await askBeside(backends.eventLog, config, log, request);
  } finally {
    await backends.close();
    await removeSocketFolder(config.dataDir);
  }
}

async function askFolder(config: Config, log: Logger, request: SigningKeyRequest): Promise<SigningKeyAnswer> {
  const keys = join(directoryOf(config), 'keys');
  if (!existsSync(keys)) {
    throw new ConfigurationError([
      `there is no folder ${keys}: name the data directory of reporting; where the folder is lost with all keys, make it`,
    ]);
  }
  const eventLog = await openLog(config, 'countersign-keys');
  try {
    return await askBeside(eventLog, config, log, request);
  } finally {
    await eventLog.close();
  }
}

async function askBeside(
  eventLog: EventLog,
  config: Config,
  log: Logger,
  request: SigningKeyRequest,
): Promise<SigningKeyAnswer> {
  const { operateKeys } = await import('@countersign/reporting');
  const operator = await operateKeys({ config, eventLog, log, clock: () => Date.now() }, directoryOf(config));
  return answerKeys(operator, request);
}

function directoryOf({ dataDir }: Config): string {
  return join(dataDir, 'reporting');
}

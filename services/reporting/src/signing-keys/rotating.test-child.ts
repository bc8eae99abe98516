import { openSqliteLog } from '@countersign/event-log';
import { loadConfig } from '@countersign/process';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { openSigningKeys } from './open-signing-keys.js';

/** Rotates and revokes without a pause until it is killed; prints a line for each revoked key. */
const [file, directory] = process.argv.slice(2);
const eventLog = await openSqliteLog({ file: file! });
const silent = (): void => undefined;
const { keys } = await openSigningKeys({
  directory: directory!,
  config: loadConfig({}),
  eventLog,
  crypto: nodeCrypto,
  clock: () => Date.now(),
  log: { info: silent, warn: silent, error: silent },
});
for (;;) {
  const { keys: all } = await keys.rotate(null);
  const retired = all.find(({ status }) => status === 'retired');
  if (retired !== undefined) {
    await keys.revoke(retired.id, 'rotated');
    process.stdout.write(`${retired.id}\n`);
  }
}

import type { Logger } from 'pino';
import type { PasswordLinkRequest } from '@countersign/service-kit';
import { httpAddress } from '@countersign/http-edge';
import type { Config } from '@countersign/process';
import { askInstance, type PasswordLink } from './admin-socket.js';
import { onFiles } from './on-files.js';
import { operatorsOf } from './operators.js';

/**
 * Makes a link by which a user sets a new password, through the running instance, or on the files if none runs.
 * @returns `null` if no user has the address
 * @throws InstanceRunning while an instance starts or stops
 */
export async function passwordLink(
  config: Config,
  log: Logger,
  request: PasswordLinkRequest,
): Promise<PasswordLink | null> {
  if (config.profile === 'distributed') return (await operatorsOf(config)).account.passwordLink(request);
  const answer = await askInstance(config.dataDir, 'passwordLink', request);
  if (answer !== null) return answer === 'unknown-user' ? null : answer;
  return onFiles(config, log, async ({ calls }) => {
    await calls.call('publicUrl', config.publicUrl ?? httpAddress(config.host, config.port, config.tls !== null));
    return calls.call('passwordLink', request);
  });
}

import type { Logger } from 'pino';
import type { Config } from '@countersign/process';
import type { PlanChange } from '@countersign/service-kit';
import { askInstance } from './admin-socket.js';
import { onFiles } from './on-files.js';
import { operatorsOf } from './operators.js';

/**
 * Puts an account on a plan, in force once it resolves: through the running instance, or on the files if none runs.
 * A folder without an instance has no accounts, and is left unchanged.
 * @throws InstanceRunning while an instance starts or stops; the instance's error for terms that cannot be agreed
 */
export async function setPlan(config: Config, log: Logger, change: PlanChange): Promise<'set' | 'unknown-account'> {
  if (config.profile === 'distributed') return (await operatorsOf(config)).account.setPlan(change);
  const answer = await askInstance(config.dataDir, 'setPlan', change);
  if (answer !== null) return answer;
  const set = await onFiles(config, log, ({ calls }) => calls.call('setPlan', change));
  return set ?? 'unknown-account';
}

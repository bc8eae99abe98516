import { distributedInstallation, missingServers } from './distributed.js';
import { Instance, type StartOptions } from './instance.js';
import type { Profile } from './installation.js';

/** Starts a new installation of the tested profile. */
export type Start = (options?: Omit<StartOptions, 'dataDir'>) => Promise<Instance>;

/**
 * Runs the same tests on both profiles. Without servers those of the distributed one are skipped, and their name lists
 * the missing servers.
 */
export function onEachProfile(what: string, tests: (start: Start, profile: Profile) => void): void {
  describe(`${what} [embedded]`, () => tests((options) => Instance.start(options), 'embedded'));
  const missing = missingServers();
  const run = missing.length === 0 ? describe : describe.skip;
  run(`${what} [distributed${missing.length === 0 ? '' : `, needs ${missing.join(', ')}`}]`, () =>
    tests(startDistributed, 'distributed'),
  );
}

async function startDistributed(options: Parameters<Start>[0] = {}): Promise<Instance> {
  const installation = await distributedInstallation();
  try {
    return await Instance.startOn(installation, options);
  } catch (error) {
    await installation.discard();
    throw error;
  }
}

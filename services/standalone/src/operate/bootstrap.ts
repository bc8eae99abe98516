import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError, type Config, makeDataDirectory } from '@countersign/process';
import { HttpRefusal, httpAddress } from '@countersign/http-edge';
import { writeBootstrap } from '../first-start/bootstrap-file.js';
import { ensureFirstStart } from '../first-start/first-start.js';
import { operatorsOf } from './operators.js';

/** Servers that have just started may not answer in time. */
const PATIENCE_MS = 60_000;
const AGAIN_MS = 500;

/**
 * Creates the first account of a distributed installation and returns the text of `bootstrap.json`, which is stored in the
 * data directory: a repetition there, also after a crash, returns the same account.
 * @throws ConfigurationError in the embedded profile, and if accounts exist that this folder does not know; Error
 *   if a service cannot be reached within a minute
 */
export async function bootstrap(config: Config): Promise<string> {
  if (config.profile === 'embedded') {
    throw new ConfigurationError([
      'the first start of the embedded profile makes the account: see bootstrap.json in the data directory; ' +
        'COUNTERSIGN_PROFILE=distributed has none',
    ]);
  }
  await makeDataDirectory(config.dataDir);
  const { account, agent } = await operatorsOf(config);
  const { credentials } = await patiently(() =>
    ensureFirstStart(config.dataDir, {
      hasAccount: () => account.hasAccount(),
      createAccount: (first) => account.createFirst(first),
      createAgent: (first) => agent.createFirst(first),
    }),
  );
  if (credentials === null) {
    throw new ConfigurationError([`there are accounts, and ${config.dataDir} knows none of them: log in as you know`]);
  }
  const baseUrl = config.publicUrl ?? httpAddress(config.host, config.port);
  const [solanaRpcUrl = ''] = config.solanaRpcUrls;
  return writeBootstrap(config.dataDir, { baseUrl, mcpUrl: `${baseUrl}/mcp`, solanaRpcUrl }, credentials);
}

/** Repeats a step that a service refuses with 503, for a minute. */
async function patiently<Result>(step: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof HttpRefusal && error.status === 503) || performance.now() > until) throw error;
    }
    await sleep(AGAIN_MS);
  }
}

import { resolve } from 'node:path';
import { clientEnvironment } from '@countersign/process/client-environment';

/** Options of every command of hooks. */
export interface HookTarget {
  readonly baseUrl?: string;
  readonly agent?: string;
  readonly dataDir?: string;
}

/** Where a hook asks, and as which agent. */
export interface HookSettings {
  readonly apiKey: string;
  readonly agentId: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

/**
 * The settings from the options, else from the environment, else from `bootstrap.json` of the named folder.
 * @throws Error naming the setting that is missing
 */
export async function hookSettings(options: HookTarget, defaultBaseUrl: string): Promise<HookSettings> {
  const given = clientEnvironment();
  // Never a folder that was not named: a hook may run in any working directory, also in another person's project.
  const known = options.dataDir === undefined ? null : await bootstrapOf(options.dataDir);
  const apiKey = given.apiKey ?? known?.apiKey;
  const agentId = options.agent ?? given.agentId ?? known?.agentId;
  const baseUrl = options.baseUrl ?? given.baseUrl ?? known?.baseUrl ?? defaultBaseUrl;
  if (apiKey === undefined) throw new Error('COUNTERSIGN_API_KEY is not set; ask the user to set it');
  if (agentId === undefined) throw new Error('COUNTERSIGN_AGENT_ID is not set; ask the user to set it');
  return { apiKey, agentId, baseUrl };
}

async function bootstrapOf(dataDir: string): Promise<HookSettings> {
  const { readBootstrap } = await import('../api-client/api.js');
  return readBootstrap(resolve(dataDir));
}

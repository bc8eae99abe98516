import { randomBytes, randomUUID } from 'node:crypto';
import { mintApiKey } from '@countersign/process';
import type { FirstAccount } from '@countersign/service-kit';
import { readBootstrap, readPending, writePending, type Credentials, type PendingStart } from './bootstrap-file.js';

/** Steps of a first start, done by the services; each may be repeated. */
export interface FirstStartCalls {
  hasAccount(): Promise<boolean>;
  createAccount(first: FirstAccount): Promise<void>;
  createAgent(first: { readonly agentId: string; readonly accountId: string; readonly name: string }): Promise<void>;
}

export interface FirstStart {
  /** `null`: accounts exist, but `bootstrap.json` is missing, so their credentials are not known here. */
  readonly credentials: Credentials | null;
  readonly isFirst: boolean;
}

function newStart(): PendingStart {
  return {
    email: 'admin@countersign.localhost',
    password: randomBytes(18).toString('base64url'),
    apiKey: mintApiKey(randomBytes),
    accountId: randomUUID(),
    agentId: randomUUID(),
    userId: randomUUID(),
    apiKeyId: randomUUID(),
  };
}

/**
 * Creates the first account, its admin, an API key and an agent. Ids and secrets are durable in a pending file before they
 * are used: after a crash at any point the next start repeats every step with the same values.
 */
export async function ensureFirstStart(dataDir: string, calls: FirstStartCalls): Promise<FirstStart> {
  const known = await readBootstrap(dataDir);
  let pending = await readPending(dataDir);
  if (known !== null && pending === null) return { credentials: known, isFirst: false };
  if (pending === null) {
    if (await calls.hasAccount()) return { credentials: null, isFirst: false };
    pending = newStart();
    await writePending(dataDir, pending);
  }
  const { accountId, agentId, userId, email, password, apiKeyId, apiKey } = pending;
  await calls.createAccount({
    accountId,
    accountName: 'First account',
    plan: 'enterprise',
    userId,
    email,
    password,
    apiKeyId,
    apiKeyName: 'First key',
    apiKey,
  });
  await calls.createAgent({ accountId, agentId, name: 'First agent' });
  return { credentials: pending, isFirst: true };
}

import { AGENTS_OF_PLAN } from '@countersign/contracts';
import type { AccountFacts } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { Config } from '@countersign/process';
import type { Projection } from '@countersign/topics';

/** Time to wait for an account that was just created. */
const WAIT_MS = 2000;

/** Seconds between anchors: the configured override, else the account's plan's. */
export function cadenceOf(
  config: Pick<Config, 'anchorWindowSeconds'>,
  accounts: Projection<AccountFacts>,
): (accountId: string) => Promise<number> {
  return async (accountId) => {
    if (config.anchorWindowSeconds !== null) return config.anchorWindowSeconds;
    return (await accountOf(accounts, accountId)).cadenceSeconds;
  };
}

/** Agents that the account may have: its plan's. */
export function mostAgentsOf(accounts: Projection<AccountFacts>): (accountId: string) => Promise<number> {
  return async (accountId) => AGENTS_OF_PLAN[(await accountOf(accounts, accountId)).plan];
}

/** @throws HttpRefusal 503 */
async function accountOf(accounts: Projection<AccountFacts>, accountId: string): Promise<AccountFacts> {
  if (accounts.get(accountId) === undefined) await accounts.waitFor(accountId, 1, WAIT_MS);
  const account = accounts.get(accountId);
  if (account === undefined) {
    throw new HttpRefusal(503, 'the account is not known here yet: try again', { 'Retry-After': '1' });
  }
  return account.value;
}

import { serviceCredential, type Config } from '@countersign/process';
import { httpAddress } from '@countersign/http-edge';
import { remoteNeighbour } from '@countersign/service-kit';
import type { AccountOperator, AgentOperator, SigningKeyOperator } from '@countersign/service-kit';

export interface Operators {
  readonly account: AccountOperator;
  readonly agent: AgentOperator;
  readonly signingKeys: SigningKeyOperator;
}

/**
 * Who may be asked of accounts, agents and signing keys in the distributed profile: identity, policy and reporting at
 * the addresses that the configuration names, else at this machine's own `COUNTERSIGN_HOST` and `COUNTERSIGN_PORT`.
 */
export async function operatorsOf(config: Config): Promise<Operators> {
  const credential = await serviceCredential(config);
  const here = httpAddress(config.host, config.port);
  return {
    account: remoteNeighbour('account-operator', { baseUrl: config.neighbourUrls.identity ?? here, credential }),
    agent: remoteNeighbour('agent-operator', { baseUrl: config.neighbourUrls.policy ?? here, credential }),
    signingKeys: remoteNeighbour('signing-key-operator', {
      baseUrl: config.neighbourUrls.reporting ?? here,
      credential,
    }),
  };
}

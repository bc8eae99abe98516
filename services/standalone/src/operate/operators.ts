import {
  httpAddress,
  remoteNeighbour,
  serviceCredential,
  type AccountOperator,
  type AgentOperator,
  type Config,
} from '@countersign/service-kit';

export interface Operators {
  readonly account: AccountOperator;
  readonly agent: AgentOperator;
}

/**
 * Who may be asked of accounts and agents in the distributed profile: identity and policy at the addresses that the
 * configuration names, else at this machine's own `COUNTERSIGN_HOST` and `COUNTERSIGN_PORT`.
 */
export async function operatorsOf(config: Config): Promise<Operators> {
  const credential = await serviceCredential(config);
  const here = httpAddress(config.host, config.port);
  return {
    account: remoteNeighbour('account-operator', { baseUrl: config.neighbourUrls.identity ?? here, credential }),
    agent: remoteNeighbour('agent-operator', { baseUrl: config.neighbourUrls.policy ?? here, credential }),
  };
}

import { serviceCredential, type Config } from '@countersign/process';
import { httpAddress } from '@countersign/http-edge';
import { remotePeer } from '@countersign/service-kit';
import type { AccountOperator, AgentOperator, SigningKeyOperator } from '@countersign/service-kit';

export interface Operators {
  readonly account: AccountOperator;
  readonly agent: AgentOperator;
  readonly signingKeys: SigningKeyOperator;
}

/**
 * Operators of accounts, agents and signing keys in the distributed profile: identity, policy and reporting at
 * the configured addresses, by default at this machine's `COUNTERSIGN_HOST` and `COUNTERSIGN_PORT`.
 */
export async function operatorsOf(config: Config): Promise<Operators> {
  const credential = await serviceCredential(config);
  const here = httpAddress(config.host, config.port);
  return {
    account: remotePeer('account-operator', { baseUrl: config.peerUrls.identity ?? here, credential }),
    agent: remotePeer('agent-operator', { baseUrl: config.peerUrls.policy ?? here, credential }),
    signingKeys: remotePeer('signing-key-operator', {
      baseUrl: config.peerUrls.reporting ?? here,
      credential,
    }),
  };
}

import type { Chain } from '@countersign/chain';
import type { AnchorAuthority } from '@countersign/contracts';
import { fromHex, type InclusionAnswer, type VerificationKey } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/service-kit';
import { askChain } from './ask-chain/ask-chain.js';
import type { PublicFacts } from './store/port.js';
import { checkReportAnchor, type AnchorCheckAnswer } from './verify-chain/verify-chain.js';
import { answerInclusion, type InclusionRequest } from './verify-inclusion/verify-inclusion.js';

/** Injection token of {@link PublicVerification}. */
export const PUBLIC_VERIFICATION = Symbol('public-verification');

/** What anybody may ask, answered from public facts and the chain. */
export class PublicVerification {
  readonly #chain: () => Promise<Chain>;
  constructor(
    readonly facts: PublicFacts,
    chain: () => Promise<Chain>,
  ) {
    this.#chain = chain;
  }

  /** Body of `GET /v1/keys`: active and published keys first, then those that still verify what they signed. */
  keys(): object {
    const keys = this.facts
      .keys()
      .map(({ id, facts: { status, validFrom, validTo } }) => ({ id, validFrom, validTo, status }));
    const order = ['active', 'published', 'retired', 'revoked'];
    keys.sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
    return { keys, activeKeyId: keys[0]?.id ?? '', anchorAuthorities: this.#authorities() };
  }

  inclusion(request: InclusionRequest): Promise<InclusionAnswer> {
    return answerInclusion(request, {
      crypto: nodeCrypto,
      keys: () => this.#keys(),
      authorities: () => this.#authorities(),
      askChain: async (named) => askChain(await this.#chain(), named, this.#authorities()),
    });
  }

  chain(body: unknown): Promise<AnchorCheckAnswer> {
    return checkReportAnchor(body, this.facts, this.#chain);
  }

  #keys(): VerificationKey[] {
    return this.facts.keys().flatMap(({ facts: { publicKeyHex, status, validFrom, validTo } }) => {
      const publicKey = fromHex(publicKeyHex);
      return publicKey === null ? [] : [{ publicKey, status, validFrom, validTo }];
    });
  }

  #authorities(): AnchorAuthority[] {
    return this.facts
      .authorities()
      .map(({ address, network, validFrom, validTo }) => ({ address, network, validFrom, validTo }));
  }
}

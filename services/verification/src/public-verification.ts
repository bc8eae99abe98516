import { ChainUnavailable, type Chain } from '@countersign/chain';
import type { AnchorAuthority, PublicAgentRecord } from '@countersign/contracts';
import { fromHex, type InclusionAnswer, type VerificationKey } from '@countersign/evidence';
import type { RawBody } from '@countersign/http-edge';
import { askChain } from './ask-chain/ask-chain.js';
import { limitedLookups, type ChainLookups } from './ask-chain/chain-lookups.js';
import type { Log } from './http/failed.js';
import { OpenPackages } from './find-package/open-packages.js';
import { soundKeys, type KeptKey } from './key-set/sound-keys.js';
import { lookUpAgent } from './look-up-agent/look-up-agent.js';
import type { PackageBodies } from './store/package-bodies.js';
import type { PublicFacts } from './store/port.js';
import { InclusionVerifier, NARROW, WIDE } from './verify-in-child/inclusion-verifier.js';
import { checkReportAnchor, type AnchorCheckAnswer } from './verify-chain/verify-chain.js';

/** Injection token of {@link PublicVerification}. */
export const PUBLIC_VERIFICATION = Symbol('public-verification');

const notOpened = (): Promise<never> =>
  Promise.reject(new ChainUnavailable('network', 'The chain could not be opened'));
/** Used where the chain could not be opened: proofs are verified anyway. */
const UNAVAILABLE: ChainLookups = { network: notOpened, transaction: notOpened };

/** Answers the public routes from public facts and the chain. */
export class PublicVerification {
  readonly #chain: () => Promise<ChainLookups>;
  readonly #inclusion: InclusionVerifier;
  readonly #log: Log;
  readonly packages: OpenPackages;
  constructor(
    readonly facts: PublicFacts,
    bodies: PackageBodies,
    chain: () => Promise<Chain>,
    log: Log,
    /** Base URL of the service, as packages name it. */
    readonly publicUrl: () => string,
    limits = { narrow: NARROW, wide: WIDE },
  ) {
    this.#log = log;
    this.packages = new OpenPackages(facts, bodies);
    let lookups: Promise<ChainLookups> | null = null;
    this.#chain = () =>
      (lookups ??= chain().then(
        (opened) => limitedLookups(opened),
        (error: unknown) => {
          lookups = null;
          throw error;
        },
      ));
    this.#inclusion = new InclusionVerifier(
      {
        keys: () => this.#keys(),
        askChain: async (named) =>
          askChain(await this.#chain().catch(() => UNAVAILABLE), named, await this.#authorities()),
      },
      limits,
    );
  }

  /** The keys that are given out and verified with. A stored key whose id is not its hash is left out. */
  async soundKeys(): Promise<readonly KeptKey[]> {
    return soundKeys(await this.facts.keys(), (err) => this.#log.error({ err }, 'a key is withheld'));
  }

  /** Body of `GET /v1/keys`: active, published, retired and revoked keys, in this order. */
  async keys(): Promise<object> {
    const keys = (await this.soundKeys()).map(({ id, facts: { status, validFrom, validTo, revocation } }) => ({
      id,
      validFrom,
      validTo,
      status,
      ...(revocation === undefined ? {} : { revocation }),
    }));
    const order = ['active', 'published', 'retired', 'revoked'];
    keys.sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
    return {
      keys,
      activeKeyId: keys.find(({ status }) => status === 'active')?.id ?? '',
      anchorAuthorities: await this.#authorities(),
    };
  }

  /** Body of `POST /v1/inclusion/verify`, or its JSON in UTF-8. */
  inclusion(body: RawBody): Promise<InclusionAnswer | Uint8Array> {
    return this.#inclusion.verify(body);
  }

  /** @throws HttpRefusal 400, 404 */
  agent(ssn: string): Promise<PublicAgentRecord> {
    return lookUpAgent(ssn, this.facts);
  }

  chain(body: unknown): Promise<AnchorCheckAnswer> {
    return checkReportAnchor(body, this.facts, this.#chain);
  }

  /** Ends verifications that are under way. */
  end(): void {
    this.#inclusion.end();
  }

  async #keys(): Promise<VerificationKey[]> {
    const keys = await this.soundKeys();
    return keys.flatMap(({ facts: { publicKeyHex, ...facts } }) => {
      const publicKey = fromHex(publicKeyHex);
      return publicKey === null ? [] : [{ publicKey, ...facts }];
    });
  }

  async #authorities(): Promise<AnchorAuthority[]> {
    const facts = await this.facts.authorities();
    return facts.map(({ address, network, validFrom, validTo }) => ({ address, network, validFrom, validTo }));
  }
}

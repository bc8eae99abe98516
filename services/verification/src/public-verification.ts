import type { Chain } from '@countersign/chain';
import type { AnchorAuthority } from '@countersign/contracts';
import { fromHex, type InclusionAnswer, type VerificationKey } from '@countersign/evidence';
import { HttpRefusal, type RawBody } from '@countersign/service-kit';
import { askChain } from './ask-chain/ask-chain.js';
import { limitedLookups, type ChainLookups } from './ask-chain/chain-lookups.js';
import type { PackageBodies } from './store/package-bodies.js';
import type { PublicFacts } from './store/port.js';
import { InclusionVerifier, NARROW, WIDE } from './verify-aside/inclusion-verifier.js';
import { checkReportAnchor, type AnchorCheckAnswer } from './verify-chain/verify-chain.js';

/** Injection token of {@link PublicVerification}. */
export const PUBLIC_VERIFICATION = Symbol('public-verification');

/** What anybody may ask, answered from public facts and the chain. */
export class PublicVerification {
  readonly #chain: () => Promise<ChainLookups>;
  readonly #inclusion: InclusionVerifier;
  readonly #bodies: PackageBodies;
  constructor(
    readonly facts: PublicFacts,
    bodies: PackageBodies,
    chain: () => Promise<Chain>,
    limits = { narrow: NARROW, wide: WIDE },
  ) {
    this.#bodies = bodies;
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
        askChain: async (named) => askChain(await this.#chain(), named, await this.#authorities()),
      },
      limits,
    );
  }

  /** Body of `GET /v1/keys`: active and published keys first, then those that still verify what they signed. */
  async keys(): Promise<object> {
    const keys = (await this.facts.keys()).map(({ id, facts: { status, validFrom, validTo } }) => ({
      id,
      validFrom,
      validTo,
      status,
    }));
    const order = ['active', 'published', 'retired', 'revoked'];
    keys.sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
    return { keys, activeKeyId: keys[0]?.id ?? '', anchorAuthorities: await this.#authorities() };
  }

  /** Body of `POST /v1/inclusion/verify`, or its JSON in UTF-8. */
  inclusion(body: RawBody): Promise<InclusionAnswer | Uint8Array> {
    return this.#inclusion.verify(body);
  }

  /**
   * The package that a PDF was drawn from, as it was signed.
   * @throws HttpRefusal 404 where no PDF of that hash was issued, or an erasure withdrew its report
   */
  async packageOfPdf(pdfSha256: string): Promise<Uint8Array> {
    const report = await this.facts.reportByPdfSha256(pdfSha256);
    if (report === null) throw new HttpRefusal(404, 'no PDF of that hash was issued here');
    const { withdrawn, sha256 } = report.facts;
    if (withdrawn !== null) throw new HttpRefusal(404, `withdrawn: ${withdrawn}`);
    const body = await this.#bodies.get(sha256);
    if (body === null) throw new Error(`the stored package of report ${report.id} is missing`);
    return body;
  }

  chain(body: unknown): Promise<AnchorCheckAnswer> {
    return checkReportAnchor(body, this.facts, this.#chain);
  }

  /** Ends what is being verified. */
  end(): void {
    this.#inclusion.end();
  }

  async #keys(): Promise<VerificationKey[]> {
    const keys = await this.facts.keys();
    return keys.flatMap(({ facts: { publicKeyHex, status, validFrom, validTo } }) => {
      const publicKey = fromHex(publicKeyHex);
      return publicKey === null ? [] : [{ publicKey, status, validFrom, validTo }];
    });
  }

  async #authorities(): Promise<AnchorAuthority[]> {
    const facts = await this.facts.authorities();
    return facts.map(({ address, network, validFrom, validTo }) => ({ address, network, validFrom, validTo }));
  }
}

import type { AnchorAuthority } from '@countersign/contracts';
import {
  eventAnswer,
  packageAnswer,
  transactionsToAsk,
  verifyEventProof,
  verifyPackage,
  type ChainFacts,
  type EvidenceCrypto,
  type InclusionAnswer,
  type NamedTransaction,
  type VerificationKey,
} from '@countersign/evidence';

/** What the service itself knows; nothing of it comes from what is verified. */
export interface TrustedFacts {
  readonly crypto: EvidenceCrypto;
  keys(): readonly VerificationKey[];
  authorities(): readonly AnchorAuthority[];
  /** Each transaction is asked for once. */
  askChain(named: readonly NamedTransaction[]): Promise<ChainFacts>;
}

/** Body of `POST /v1/inclusion/verify`, as far as the schema judged it. */
export interface InclusionRequest {
  readonly package?: object;
  readonly report?: object;
  readonly event?: object;
  readonly proof?: object;
}

export async function answerInclusion(request: InclusionRequest, trusted: TrustedFacts): Promise<InclusionAnswer> {
  const given = request.package ?? request.report;
  const chain = await trusted.askChain(transactionsToAsk(given ?? request.proof));
  const { crypto } = trusted;
  return given === undefined
    ? eventAnswer(verifyEventProof(request.event, request.proof, { crypto, chain }))
    : packageAnswer(verifyPackage(given, { crypto, keys: trusted.keys(), chain }));
}

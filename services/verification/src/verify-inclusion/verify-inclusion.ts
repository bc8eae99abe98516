import type { AnchorAuthority } from '@countersign/contracts';
import {
  transactionsToAsk,
  verifyEventProof,
  verifyPackage,
  type ChainFacts,
  type EvidenceCrypto,
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

/** The inclusion result of `interface.md`. */
export type InclusionAnswer = Readonly<Record<string, unknown>> & { readonly ok: boolean };

export async function answerInclusion(request: InclusionRequest, trusted: TrustedFacts): Promise<InclusionAnswer> {
  const given = request.package ?? request.report;
  return given === undefined ? answerEvent(request, trusted) : answerPackage(given, trusted);
}

async function answerPackage(given: object, trusted: TrustedFacts): Promise<InclusionAnswer> {
  const chain = await trusted.askChain(transactionsToAsk(given));
  const result = verifyPackage(given, { crypto: trusted.crypto, keys: trusted.keys(), chain });
  const first = result.problems[0];
  return {
    ok: result.ok,
    signature: result.signature,
    events: result.events,
    anchoredCount: result.anchoredCount,
    unanchoredCount: result.unanchoredCount,
    chain: result.chain,
    checked: result.checked,
    notChecked: result.notChecked,
    problems: result.problems,
    ...(result.sha256 === null ? {} : { sha256: result.sha256 }),
    ...(first === undefined ? {} : { error: first.code, detail: first.message }),
  };
}

async function answerEvent({ event, proof }: InclusionRequest, trusted: TrustedFacts): Promise<InclusionAnswer> {
  const chain = await trusted.askChain(transactionsToAsk(proof));
  const result = verifyEventProof(event, proof, { crypto: trusted.crypto, chain });
  const first = result.problems[0];
  return {
    ok: result.ok,
    event: result.event,
    chain: result.event.chain,
    anchoredCount: result.event.anchored ? 1 : 0,
    unanchoredCount: result.event.anchored ? 0 : 1,
    detail: first?.message ?? result.event.detail,
    problems: result.problems,
    ...(first === undefined ? {} : { error: first.code }),
    ...(result.canonical === null ? {} : { canonical: result.canonical }),
    ...(result.leafHash === null ? {} : { leafHash: result.leafHash }),
  };
}

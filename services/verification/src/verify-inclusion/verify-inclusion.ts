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
  if (given !== undefined) return packageAnswer(verifyPackage(given, { crypto, keys: trusted.keys(), chain }));
  const answer = eventAnswer(verifyEventProof(request.event, request.proof, { crypto, chain }));
  return answer.ok ? ofOurAuthority(answer, chain.authorities ?? []) : answer;
}

/**
 * Nothing signs a proof that stands alone: its paths lead to whatever root its maker chose. Where no authority of this
 * service anchors, no transaction can vouch for that root, so the proof does not hold.
 */
function ofOurAuthority(answer: InclusionAnswer, authorities: readonly AnchorAuthority[]): InclusionAnswer {
  const { event } = answer;
  if (event === undefined || authorities.some(({ network }) => network === event.network)) return answer;
  const detail = 'No anchoring authority of this service is on the network that the proof names.';
  const problem = { code: 'transaction-authority', path: 'proof', message: detail } as const;
  return { ...answer, ok: false, detail, event: { ...event, ok: false, detail }, problems: [problem] };
}

import type { AnchorAuthority } from '@countersign/contracts';
import {
  eventAnswer,
  openPackage,
  packageAnswer,
  transactionsToAsk,
  verifyEventProof,
  type ChainFacts,
  type InclusionAnswer,
  type NamedTransaction,
  type VerifyOptions,
} from '@countersign/evidence';

/** Body of `POST /v1/inclusion/verify`, as far as the schema judged it. */
export interface InclusionRequest {
  readonly package?: object;
  readonly report?: object;
  readonly event?: object;
  readonly proof?: object;
}

/** A request that is verified as far as possible without the chain. */
export interface OpenedInclusion {
  /** To be looked up, each once; `null`: the request is refused already, and none is looked up. */
  readonly asks: readonly NamedTransaction[] | null;
  /** The answer; `chain` has the results for `asks`. Called once. */
  finish(chain: ChainFacts | null): InclusionAnswer;
}

/**
 * The key and the signature come first: a body that no key of this service signed costs no tree and no look-up.
 * @param trusted known to the service; nothing of it comes from the verified body
 */
export function openInclusion(
  request: InclusionRequest,
  trusted: Pick<VerifyOptions, 'crypto' | 'keys'>,
): OpenedInclusion {
  const given = request.package ?? request.report;
  if (given === undefined) {
    return { asks: transactionsToAsk(request.proof), finish: (chain) => ofEvent(request, trusted, chain) };
  }
  const opened = openPackage(given, trusted);
  const { refused } = opened;
  if (refused !== null) return { asks: null, finish: () => packageAnswer(refused) };
  return { asks: transactionsToAsk(given), finish: (chain) => packageAnswer(opened.finish(chain)) };
}

function ofEvent(
  { event, proof }: InclusionRequest,
  { crypto }: Pick<VerifyOptions, 'crypto'>,
  chain: ChainFacts | null,
): InclusionAnswer {
  const answer = eventAnswer(verifyEventProof(event, proof, { crypto, chain }));
  return answer.ok ? vouchedFor(ofOurAuthority(answer, chain?.authorities ?? [])) : answer;
}

/**
 * A proof without a package is not signed: its paths lead to any root that its author chose. Where no authority of this service
 * anchors, no transaction can confirm that root, so the proof does not hold.
 */
function ofOurAuthority(answer: InclusionAnswer, authorities: readonly AnchorAuthority[]): InclusionAnswer {
  const { event } = answer;
  if (event === undefined || authorities.some(({ network }) => network === event.network)) return answer;
  const detail = 'No anchoring authority of this service is on the network that the proof names.';
  const problem = { code: 'transaction-authority', path: 'proof', message: detail } as const;
  return { ...answer, ok: false, detail, event: { ...event, ok: false, detail }, problems: [problem] };
}

/**
 * While the chain cannot be asked, or the transaction is not final, the proof has no problem and yet does not hold: a root
 * of the author's own would pass. `chain.checked` is `false` then, and there is no problem to name.
 */
function vouchedFor(answer: InclusionAnswer): InclusionAnswer {
  const { event, chain } = answer;
  if (!answer.ok || event === undefined || chain?.checked !== false) return answer;
  const detail = `The paths lead to the root that the proof names; nothing vouches for that root yet. ${chain.detail}`;
  return { ...answer, ok: false, detail, event: { ...event, ok: false, detail } };
}

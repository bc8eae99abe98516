import type { EventProofResult } from './event-proof.js';
import type { ChainCheck, EventResult, Problem, SignatureResult, VerificationResult } from './result.js';

/** Body of `POST /v1/inclusion/verify`, 200. */
export interface InclusionAnswer {
  readonly ok: boolean;
  readonly signature?: SignatureResult;
  readonly events?: readonly EventResult[];
  readonly anchoredCount?: number;
  readonly unanchoredCount?: number;
  readonly event?: EventResult;
  readonly chain?: ChainCheck;
  readonly detail: string;
  readonly sha256?: string;
  readonly canonical?: string;
  readonly checked?: readonly string[];
  readonly notChecked?: readonly string[];
  readonly problems: readonly Problem[];
}

/**
 * Problems of what is verified in addition to the signature: the form of the package and the fields that the signature
 * does not cover.
 */
const REFUSED: ReadonlySet<Problem['code']> = new Set(['structure', 'verification-fields', 'sha256-differs']);

/**
 * The answer for a package. Its `ok` says that the signature and the hash hold and no anchored proof fails; `problems`
 * also lists everything else that is wrong, and `detail` the first of it.
 */
export function packageAnswer(result: VerificationResult): InclusionAnswer {
  const { signature, events, anchoredCount, unanchoredCount, chain, checked, notChecked, problems, sha256 } = result;
  const failed = events.find((event) => event.anchored && !event.ok);
  const refused = problems.find(({ code }) => REFUSED.has(code));
  const ok = signature.valid && failed === undefined && refused === undefined;
  const counts = `${anchoredCount} anchored, ${unanchoredCount} not anchored yet`;
  const [first] = problems;
  const holds =
    first === undefined ? `The signature holds; ${counts}.` : `The signature holds; ${counts}; but: ${first.message}`;
  const detail = ok ? holds : (first?.message ?? signature.detail);
  return {
    ok,
    signature,
    events,
    anchoredCount,
    unanchoredCount,
    chain,
    detail,
    ...(sha256 === null ? {} : { sha256 }),
    checked,
    notChecked,
    problems,
  };
}

/** The answer for a single event and its proof. */
export function eventAnswer(result: EventProofResult): InclusionAnswer {
  const { ok, event, canonical, leafHash, problems } = result;
  return {
    ok,
    event,
    chain: event.chain,
    detail: event.detail,
    ...(canonical === null ? {} : { canonical }),
    ...(leafHash === null ? {} : { sha256: leafHash }),
    problems,
  };
}

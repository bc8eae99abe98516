import { verificationRoutes } from '@countersign/contracts';
import {
  JsonRefused,
  parseJsonStrict,
  VERIFICATION_LIMITS,
  type ChainFacts,
  type InclusionAnswer,
  type NamedTransaction,
  type VerificationKey,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { schemaCheck, HttpRefusal } from '@countersign/http-edge';
import type { RawBody } from '@countersign/http-edge';
import { openInclusion, type InclusionRequest } from '../verify-inclusion/verify-inclusion.js';
import { VerifyingLane, type LaneLimits } from './verifying-lane.js';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
/** A larger body is verified in a child process; up to this size none can block the thread for long. */
export const HERE_BYTES = 64 * KIBIBYTE;
/** Bodies up to here do not wait for larger ones. */
const NARROW_BYTES = 8 * MEBIBYTE;

export const NARROW: LaneLimits = { heapMiB: 320, needMiB: 192, deadlineMs: 30_000, waiting: 16, idleMs: 10_000 };
/** Enough for any issued package, which has at most 60 MiB. */
export const WIDE: LaneLimits = { heapMiB: 1024, needMiB: 512, deadlineMs: 30_000, waiting: 3, idleMs: 5000 };

/** Trusted by the service; nothing of it comes from the verified body. */
export interface TrustedFacts {
  keys(): Promise<readonly VerificationKey[]>;
  /** Looks up each transaction once. */
  askChain(named: readonly NamedTransaction[]): Promise<ChainFacts>;
}

/** Answers `POST /v1/inclusion/verify`: small bodies at once, others in child processes, by size, so that none delays the rest. */
export class InclusionVerifier {
  readonly #trusted: TrustedFacts;
  readonly #narrow: VerifyingLane;
  readonly #wide: VerifyingLane;
  readonly #problem = schemaCheck(verificationRoutes.verifyInclusion.body);

  constructor(trusted: TrustedFacts, limits: { readonly narrow: LaneLimits; readonly wide: LaneLimits }) {
    this.#trusted = trusted;
    this.#narrow = new VerifyingLane(limits.narrow);
    this.#wide = new VerifyingLane(limits.wide);
  }

  /**
   * @returns an {@link InclusionAnswer}, or its JSON in UTF-8
   * @throws HttpRefusal 400, 413 or 503
   */
  verify(body: RawBody): Promise<InclusionAnswer | Uint8Array> {
    if (body.byteLength <= HERE_BYTES) return this.#here(body.joined());
    const lane = body.byteLength <= NARROW_BYTES ? this.#narrow : this.#wide;
    return lane.verify(body, {
      ...this.#trusted,
      checkOutline: (outline) => this.#check(outline),
    });
  }

  end(): void {
    this.#narrow.end();
    this.#wide.end();
  }

  async #here(bytes: Uint8Array): Promise<InclusionAnswer> {
    const request = parsed(bytes);
    this.#check(request);
    const opened = openInclusion(request as InclusionRequest, { crypto: nodeCrypto, keys: await this.#trusted.keys() });
    return opened.finish(opened.asks === null ? null : await this.#trusted.askChain(opened.asks));
  }

  #check(request: unknown): void {
    const problem = this.#problem(request);
    if (problem !== null) throw new HttpRefusal(400, problem);
  }
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return parseJsonStrict(bytes, VERIFICATION_LIMITS);
  } catch (error) {
    if (error instanceof JsonRefused) throw new HttpRefusal(400, error.message);
    throw error;
  }
}

import { createHash } from 'node:crypto';
import type { AgentSigning } from '@countersign/contracts';
import type { Counters } from '@countersign/counters';
import { canonicalize, verifyEd25519 } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { SentSignature, UnreadableSignature } from './read-signature.js';

/** The signature that a request carries, with what became of it. It is read, and the body hashed, where an agent has keys. */
export class CheckSignature {
  readonly #read: () => SentSignature | UnreadableSignature;
  #sent: SentSignature | UnreadableSignature | null = null;
  /** Its nonce was used for this check: an attempt that follows does not use it again. */
  isUsed = false;

  constructor(read: () => SentSignature | UnreadableSignature) {
    this.#read = read;
  }

  get sent(): SentSignature | UnreadableSignature {
    this.#sent ??= this.#read();
    return this.#sent;
  }
}

/** `null`: the agent may check without a signature, and none was sent. A text is what the context commits. */
export type JudgedSignature =
  { readonly committed: string | null } | { readonly refused: string } | { readonly unavailable: string };

/** Seconds by which `created` may differ from the clock of the gateway. */
const MOST_SECONDS = 60;

const MISSING =
  'checks of this agent have to be signed: send Signature, Signature-Input and Content-Digest (RFC 9421), with POST /v1/check or POST /v1/mcp/check; other routes cannot verify signatures';
const UNKNOWN_KEY = 'keyid of the signature is none of the signing keys of this agent';
const NOT_SIGNED = 'the signature is not one of this request by that key';
const USED = 'the nonce of the signature was used before: sign each request with a new one';
const UNSURE =
  'The signature was made before the counters began to serve, so it may have been used before. Do not act; sign again.';
const FULL = 'More signatures are under way than can be remembered. Do not act; try again.';

/** The problem of a signature on a route that does not verify any. */
export const NOT_VERIFIED_HERE: UnreadableSignature = {
  problem:
    'this route cannot verify signatures: send signed checks of this agent to POST /v1/check or POST /v1/mcp/check',
};

/** Judges the signatures of checks. */
export class Signatures {
  constructor(
    private readonly counters: Pick<Counters, 'useOnce'>,
    /** Wall clock, ms since 1970. */
    private readonly clock: () => number,
  ) {}

  /**
   * Judges the signature of a check, and uses its nonce.
   * @param given absent: none was sent
   * @param by the hash of the Idempotency-Key of the check, with which its nonce may be sent again; `null`: none
   * @throws CountersUnavailable
   */
  async judge(
    agentId: string,
    { required, keys }: AgentSigning,
    given: CheckSignature | undefined,
    by: string | null,
  ): Promise<JudgedSignature> {
    if (given === undefined) return required ? { refused: MISSING } : { committed: null };
    // The first key gives the agent a signature that has to be valid; without any, and without the requirement, it has none.
    if (keys.length === 0 && !required) return { committed: null };
    const { sent } = given;
    if ('problem' in sent) return { refused: sent.problem };
    const key = keys.find(({ id }) => id === sent.keyId);
    if (key === undefined) return { refused: UNKNOWN_KEY };
    const problem = this.#timeProblem(sent);
    if (problem !== null) return { refused: problem };
    const publicKey = Buffer.from(key.publicKey, 'base64url');
    const message = Buffer.from(sent.base, 'latin1');
    const isValid = verifyEd25519(publicKey, message, sent.signature, (...of) => nodeCrypto.ed25519Verify(...of));
    if (!isValid) return { refused: NOT_SIGNED };
    const used = given.isUsed ? 'first' : await this.#use(agentId, sent, by);
    if (used === 'used') return { refused: USED };
    if (used === 'unknown') return { unavailable: UNSURE };
    if (used === 'full') return { unavailable: FULL };
    given.isUsed = true;
    return { committed: committedSignature(key.publicKey, sent) };
  }

  #timeProblem({ created, expires }: SentSignature): string | null {
    const now = Math.floor(this.clock() / 1000);
    const limits = `created has to be at most ${MOST_SECONDS} seconds from the clock of the service`;
    if (created < now - MOST_SECONDS) return `the signature is ${now - created} seconds old: ${limits}`;
    if (created > now + MOST_SECONDS) return `the signature is ${created - now} seconds ahead: ${limits}`;
    return expires !== null && expires < now ? 'the signature has expired' : null;
  }

  /** The name says nothing of the nonce, and is of bounded length. */
  #use(agentId: string, { keyId, nonce, created }: SentSignature, by: string | null): ReturnType<Counters['useOnce']> {
    const name = createHash('sha256').update(`${agentId}\n${keyId}\n${nonce}`).digest('base64url');
    // `created` is cut to whole seconds.
    return this.counters.useOnce({ name, by, madeMs: (created + 1) * 1000 });
  }
}

/** The member `signature` of the context, in canonical form: what was signed, by which key, and the signature. */
function committedSignature(publicKey: string, { base, signature }: SentSignature): string {
  return canonicalize({ base, publicKey, signature: Buffer.from(signature).toString('base64') });
}

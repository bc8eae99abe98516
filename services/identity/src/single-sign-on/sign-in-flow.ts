import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { uuidOfBytes } from '../domain/uuid-of-bytes.js';

/** Time to sign in at the provider, seconds. */
export const FLOW_SECONDS = 600;
const ID_BYTES = 32;
const FORM = /^([\w-]{43})\.(\d{10,11})\.([\w-]{43})$/;

/** One sign-in, from the start at this service to the return from the provider. */
export interface SignInFlow {
  /** For the cookie of the browser that started it. */
  readonly cookie: string;
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636). */
  readonly verifier: string;
  /** Id of the one session that it may open: as session ids are unique, it opens no second one. */
  readonly sessionId: string;
}

/**
 * Sign-ins under way. Nothing is stored: a cookie holds a random number and its time with an authentication code, and
 * everything else is derived from it by a key that every instance has.
 */
export class SignInFlows {
  /** @param clock ms since 1970 */
  constructor(
    private readonly key: Uint8Array,
    private readonly clock: () => number,
  ) {}

  begin(): SignInFlow {
    const id = `${randomBytes(ID_BYTES).toString('base64url')}.${Math.floor(this.clock() / 1000)}`;
    return this.#flow(id, this.#derived('cookie', id).toString('base64url'));
  }

  /** @returns `null` if this service has not made the cookie, or ten minutes have passed */
  resume(cookie: string): SignInFlow | null {
    const [, random, seconds, code] = FORM.exec(cookie) ?? [];
    if (random === undefined || code === undefined) return null;
    const id = `${random}.${seconds}`;
    if (!timingSafeEqual(this.#derived('cookie', id), Buffer.from(code, 'base64url'))) return null;
    const age = this.clock() / 1000 - Number(seconds);
    return age >= -1 && age < FLOW_SECONDS ? this.#flow(id, code) : null;
  }

  #flow(id: string, code: string): SignInFlow {
    const text = (purpose: string): string => this.#derived(purpose, id).toString('base64url');
    return {
      cookie: `${id}.${code}`,
      state: text('state'),
      nonce: text('nonce'),
      verifier: text('verifier'),
      sessionId: sessionIdOf(this.#derived('session', id)),
    };
  }

  #derived(purpose: string, id: string): Buffer {
    return createHmac('sha256', this.key).update(`${purpose} ${id}`).digest();
  }
}

/** A UUID of version 8 (RFC 9562 section 5.8) of the first bytes. */
function sessionIdOf(bytes: Buffer): string {
  const of = Buffer.from(bytes.subarray(0, 16));
  of[6] = (of[6]! & 0x0f) | 0x80;
  of[8] = (of[8]! & 0x3f) | 0x80;
  return uuidOfBytes(of);
}

import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
const VALID_MS = 15 * 60 * 1000;
/** Links that may be open at the same time; a further one ends the oldest. */
const MOST_OPEN = 100;

interface OpenLink {
  readonly userId: string;
  readonly expiresAtMs: number;
}

/** Tokens that open one session without a password. Only their SHA-256 is kept, in memory. */
export class OneTimeLinks {
  /** By SHA-256 of the token, oldest first. */
  readonly #open = new Map<string, OpenLink>();

  /** @param clock wall clock, ms */
  constructor(private readonly clock: () => number) {}

  /** @returns the token: 32 random bytes in base64url, for one use within 15 minutes */
  issue(userId: string): string {
    for (const hash of this.#open.keys()) if (this.#open.size >= MOST_OPEN) this.#open.delete(hash);
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#open.set(hashOf(token), { userId, expiresAtMs: this.clock() + VALID_MS });
    return token;
  }

  /** @returns id of the user; `null` if the token was used, has expired or was never issued */
  take(token: string): string | null {
    const hash = hashOf(token);
    const link = this.#open.get(hash);
    if (link === undefined) return null;
    this.#open.delete(hash);
    return this.clock() < link.expiresAtMs ? link.userId : null;
  }
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

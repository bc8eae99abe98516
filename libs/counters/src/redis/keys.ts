import type { VersionedKind } from '../port.js';

/** The names of everything that an installation stores in Redis. */
export interface Keys {
  /** Their common prefix. */
  readonly name: string;
  readonly state: string;
  readonly lease: string;
  account(id: string): string;
  agent(id: string): string;
  rate(agentId: string): string;
  claim(accountId: string, keySha256: string): string;
  /** A name of `useOnce`. */
  once(name: string): string;
  /** Key of the version, below `name`. */
  versioned(kind: VersionedKind, id: string): string;
}

/** Changes with the layout, so that another version of this program finds nothing and rebuilds. */
const LAYOUT = 'cs1:';

/** A session ends long before; its version is not needed after that. */
export const SESSION_KEPT_MS = 7 * 86_400_000;

const LETTER: Readonly<Record<VersionedKind, string>> = { account: 'a:', agent: 'g:', 'api-key': 'k:', session: 's:' };

export function keysBelow(prefix: string): Keys {
  const name = prefix + LAYOUT;
  return {
    name,
    state: `${name}state`,
    lease: `${name}turn`,
    account: (id) => `${name}a:${id}`,
    agent: (id) => `${name}g:${id}`,
    rate: (agentId) => `${name}r:${agentId}`,
    claim: (accountId, keySha256) => `${name}c:${accountId}:${shortHash(keySha256)}`,
    once: (used) => `${name}o:${used}`,
    versioned: (kind, id) => LETTER[kind] + id,
  };
}

const SHA256 = /^[0-9a-f]{64}$/;

/** A hash in 43 characters instead of 64; anything else is unchanged. */
export function shortHash(hex: string): string {
  return SHA256.test(hex) ? Buffer.from(hex, 'hex').toString('base64url') : hex;
}

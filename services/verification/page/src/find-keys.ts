import type { AnchorAuthority } from '@countersign/contracts';
import { ask, jsonOf } from './ask.js';
import type { VerificationKey } from './evidence.js';
import type { EvidenceLibrary } from './evidence-library.js';

/** Where the reader wants keys to come from. `base` ends in a slash. */
export type KeyChoice =
  { readonly from: 'service'; readonly base: string } | { readonly from: 'pem'; readonly text: string };

export interface FoundKeys {
  /** `null`: there are none to judge by. */
  readonly keys: readonly VerificationKey[] | null;
  /** That the service publishes; `null`: it was not asked, or did not answer. */
  readonly authorities: readonly AnchorAuthority[] | null;
  /** Names the key, for the reader. */
  readonly description: string;
}

const KEY_ID = /\/v1\/keys\/(key_[0-9a-f]{16})$/;

/** Id of the key that a package names; it decides which key is asked for, and is not trusted further. */
export function namedKey(value: unknown): string | null {
  const url = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['publicKeyUrl'] : null;
  return typeof url === 'string' ? (KEY_ID.exec(url)?.[1] ?? null) : null;
}

/** Keys from where the reader chose. @throws Error in plain words where what was pasted is no key */
export async function findKeys(library: EvidenceLibrary, choice: KeyChoice, keyId: string | null): Promise<FoundKeys> {
  if (choice.from === 'pem') return pastedKey(library, choice.text);
  return publishedKey(library, choice.base, keyId);
}

function pastedKey({ keyId, publicKeyFromPem, browserCrypto }: EvidenceLibrary, text: string): FoundKeys {
  const publicKey = publicKeyFromPem(text);
  if (publicKey === null) throw new Error('What was pasted is not an Ed25519 public key in PEM.');
  return {
    keys: [{ publicKey, status: 'active', validFrom: null, validTo: null }],
    authorities: null,
    description: `the key that you pasted, ${keyId(publicKey, browserCrypto.sha256)}`,
  };
}

async function publishedKey(library: EvidenceLibrary, base: string, id: string | null): Promise<FoundKeys> {
  const listing = await ask(`${base}v1/keys`);
  const list = listing?.status === 200 ? readList(await jsonOf(listing)) : null;
  if (list === null) {
    return { keys: null, authorities: null, description: `none: ${base}v1/keys did not answer` };
  }
  const facts = list.keys.find((key) => key.id === id);
  if (id === null || facts === undefined) {
    const description = `the keys that ${base}v1/keys lists; the one that the package names is not among them`;
    return { keys: [], authorities: list.authorities, description };
  }
  const answer = await ask(`${base}v1/keys/${id}`);
  const publicKey = answer?.status === 200 ? library.publicKeyFromPem(await answer.text()) : null;
  if (publicKey === null) {
    return { keys: null, authorities: list.authorities, description: `none: ${base}v1/keys/${id} gave no key` };
  }
  const { status, validFrom, validTo, revocation } = facts;
  return {
    keys: [{ publicKey, status, validFrom, validTo, ...(revocation === undefined ? {} : { revocation }) }],
    authorities: list.authorities,
    description: `${id} from this service, ${base}v1/keys`,
  };
}

interface Listing {
  readonly keys: readonly (Omit<VerificationKey, 'publicKey'> & { readonly id: string })[];
  readonly authorities: readonly AnchorAuthority[];
}

function readList(body: unknown): Listing | null {
  const { keys, anchorAuthorities } = (body ?? {}) as { readonly keys?: unknown; readonly anchorAuthorities?: unknown };
  if (!Array.isArray(keys)) return null;
  return {
    keys: keys as Listing['keys'],
    authorities: Array.isArray(anchorAuthorities) ? (anchorAuthorities as AnchorAuthority[]) : [],
  };
}

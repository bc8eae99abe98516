import type { ChainFacts, NamedTransaction, VerificationKey } from '@countersign/evidence';

/** To the verifying process. The bytes of a body go to its standard input, after `read`. */
export type Order =
  | { readonly kind: 'read'; readonly bytes: number }
  /** The body has the form that the route wants: look at its key and its signature. */
  | { readonly kind: 'open'; readonly keys: readonly VerificationKey[] }
  | { readonly kind: 'finish'; readonly chain: ChainFacts | null }
  /** Forget what was read. */
  | { readonly kind: 'drop' };

/** From the verifying process. The bytes of an answer come by its standard output, announced by `answer`. */
export type Reply =
  | { readonly kind: 'unreadable'; readonly why: string }
  | { readonly kind: 'too-much-memory' }
  /** The named members of the body, an object in the place of each object: what the schema of the route judges. */
  | { readonly kind: 'read'; readonly outline: unknown }
  | { readonly kind: 'opened'; readonly asks: readonly NamedTransaction[] | null }
  | { readonly kind: 'answer'; readonly bytes: number };

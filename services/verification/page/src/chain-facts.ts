import type { AnchorAuthority } from '@countersign/contracts';
import { askChain } from './ask-chain.js';
import type { ChainFacts } from './evidence.js';
import type { EvidenceLibrary } from './evidence-library.js';
import type { FoundKeys } from './find-keys.js';
import type { Question } from './outcome.js';
import type { ReadFile } from './read-file.js';

/** Where no key has to vouch. */
export const NO_KEYS: FoundKeys = { keys: null, authorities: null, description: '' };

/** Looks up what a file names on the chain; `null`: the reader named no node. */
export async function chainOf(
  library: EvidenceLibrary,
  file: ReadFile,
  { rpc }: Question,
  keys: FoundKeys,
  progress: (text: string) => void,
  absences: readonly unknown[] = [],
): Promise<ChainFacts | null> {
  if (rpc === null) return null;
  const named = [file.value, ...absences].flatMap(library.transactionsToAsk);
  return askChain(library, rpc.url, named, authoritiesOf(rpc.authority, named[0]?.network, keys), progress, file.value);
}

function authoritiesOf(
  authority: string | null,
  network: string | undefined,
  keys: FoundKeys,
): readonly AnchorAuthority[] | null {
  if (authority === null) return keys.authorities;
  return [{ address: authority, network: network ?? 'unknown', validFrom: null, validTo: null }];
}

/** Names the chain and who may have anchored, for the reader. */
export function chainSource({ rpc }: Question, keys: FoundKeys): string {
  if (rpc === null) return 'not asked: you gave no RPC address';
  if (rpc.authority !== null) return `${rpc.url}, for the authority that you gave, ${rpc.authority}`;
  if (keys.authorities === null) return `${rpc.url}, for no particular authority: none was given`;
  return `${rpc.url}, for the authorities that this service publishes`;
}

import type { Hit } from '../api/search.js';

/** Texts of the search. */
export const searchWords = {
  title: 'Search',
  label: 'Id, SSN, agent name, Merkle root, transaction, report or API key prefix',
  hint: 'Ids, hashes and transactions in full; names and API keys by their beginning. Content of events is not searched.',
  results: 'Results',
  kinds: {
    event: 'Event',
    agent: 'Agent',
    merkle_root: 'Merkle root',
    transaction: 'Transaction',
    report: 'Report',
    api_key: 'API key',
  } satisfies Record<Hit['kind'], string>,
  found: (count: number) => (count === 1 ? '1 result' : `${count} results`),
  none: 'Nothing of this account has that name.',
  failed: 'The search failed',
} as const;

import { ReadingBudget } from '../urls/path-views.js';
import { readUrl } from '../urls/read-url.js';
import { ApiList } from './api-list.js';
import { apiEntryProblem } from './grammar.js';

/** Characters of all readings of the paths of one call: less than a millisecond. */
const MOST_CHARACTERS = 8192;
/** A host with or without a port, without scheme and path. */
const BARE_HOST = /^[^\s/?#\\@:[\]]+(?::\d{1,5})?$/;

/**
 * Compiles entries as those of `allowed_apis`: hosts, `*.` hosts and URL prefixes; names of tools match nothing.
 * @returns a function that reports whether all addresses are at them: http or https URLs that all clients read alike, or
 * hosts with or without a port, which are read as those of https URLs
 * @throws RangeError for an invalid entry, with the rest of a sentence that begins with the list
 */
export function addressMatcher(entries: readonly string[]): (addresses: readonly string[]) => boolean {
  for (const entry of entries) {
    const problem = apiEntryProblem(entry);
    if (problem !== null) throw new RangeError(`has an entry that ${problem}`);
  }
  const list = new ApiList(entries, 'allow');
  return (addresses) => {
    const budget = new ReadingBudget(MOST_CHARACTERS);
    return addresses.every((address) => {
      const url = readUrl(BARE_HOST.test(address) ? `https://${address}/` : address);
      return typeof url !== 'string' && list.matchUrl(url, budget) !== null && !budget.over;
    });
  };
}

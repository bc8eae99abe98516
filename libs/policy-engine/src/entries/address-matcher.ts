import { ReadingBudget } from '../urls/path-views.js';
import { readUrl } from '../urls/read-url.js';
import { ApiList } from './api-list.js';
import { apiEntryProblem } from './grammar.js';

/** A host with or without a port, without scheme and path. */
const BARE_HOST = /^[^\s/?#\\@:[\]]+(?::\d{1,5})?$/;

/**
 * Compiles entries as those of `allowed_apis`: hosts, `*.` hosts and URL prefixes; names of tools match nothing.
 * @returns a function that reports whether an address is at one of them: an http or https URL that all clients read
 * alike, or a host with or without a port, which is read as that of an https URL
 * @throws RangeError for an invalid entry, with the rest of a sentence that begins with the list
 */
export function addressMatcher(entries: readonly string[]): (address: string) => boolean {
  for (const entry of entries) {
    const problem = apiEntryProblem(entry);
    if (problem !== null) throw new RangeError(`has an entry that ${problem}`);
  }
  const list = new ApiList(entries, 'allow');
  return (address) => {
    const url = readUrl(BARE_HOST.test(address) ? `https://${address}/` : address);
    if (typeof url === 'string') return false;
    const budget = new ReadingBudget();
    return list.matchUrl(url, budget) !== null && !budget.over;
  };
}

import type { BehaviorProfile } from '@countersign/contracts';
import { ApiList } from '../entries/api-list.js';
import { readApiEntry } from '../entries/grammar.js';
import type { ApiEntry } from '../entries/grammar.js';
import { NamePatterns } from '../entries/name-patterns.js';
import { entryReadings } from '../scopes/scope-readings.js';
import { ScopeList } from '../scopes/scope-list.js';

const MOST_SHOWN = 80;

/** An entry of a list of a profile that has no effect. */
export interface EntryWarning {
  readonly field: string;
  readonly index: number;
  /** The rest of a sentence that begins with the entry. */
  readonly message: string;
  /** The whole sentence: `allowed_apis[0] "/srv" is a path…`. */
  readonly text: string;
}

/**
 * Entries of a profile without effect: those that can never match, and allowed ones that a blocked one covers. In the
 * language of the author of the policy.
 */
export function entryWarnings(profile: BehaviorProfile): readonly EntryWarning[] {
  return [
    ...apiWarnings('allowed_apis', profile.allowed_apis),
    ...apiWarnings('blocked_apis', profile.blocked_apis),
    ...scopeWarnings('allowed_data_scopes', profile.allowed_data_scopes),
    ...scopeWarnings('blocked_data_scopes', profile.blocked_data_scopes),
    ...coveredApis(profile),
    ...coveredNames(profile),
    ...coveredScopes(profile),
  ];
}

function warning(field: string, index: number, entry: string, message: string): EntryWarning {
  const shown = entry.length > MOST_SHOWN ? `${entry.slice(0, MOST_SHOWN)}…` : entry;
  return { field, index, message, text: `${field}[${index}] ${JSON.stringify(shown)} ${message}` };
}

function apiWarnings(field: 'allowed_apis' | 'blocked_apis', entries: readonly string[]): readonly EntryWarning[] {
  return entries.flatMap((entry, i) => {
    const read = readApiEntry(entry);
    const words = typeof read === 'string' ? null : vainApi(field, entry, read);
    return words === null ? [] : [warning(field, i, entry, words)];
  });
}

/** Names of tools: words, separated by single dots, slashes, colons or dashes. */
const TOOL_NAME = /^@?[\p{L}\p{N}_-]+(?:[./:-][\p{L}\p{N}_-]+)*[./:]?\*?$/u;

function vainApi(field: string, entry: string, { name, host, below, prefix }: ApiEntry): string | null {
  if (/^https?[:/]/i.test(entry) && !/^https?:\/\//i.test(entry)) {
    return 'is not a URL prefix: write https:// with a colon and two slashes';
  }
  if (entry.startsWith('/')) {
    return 'is a path: no host or tool is called this. Data scopes belong into allowed_data_scopes or blocked_data_scopes';
  }
  if (field === 'allowed_apis' && prefix !== undefined && entry.endsWith('*')) {
    return 'allows tools of that name alone, no URL: write a URL prefix as https://api.example.com/v1/, without *';
  }
  if (name === undefined || name === '*' || host !== undefined || below !== undefined || prefix !== undefined)
    return null;
  if (/^[^/]+:\d+$/.test(entry)) return 'has a port that no URL can have';
  if (/^[\d.]+$/.test(entry)) return 'is not an IP address';
  return TOOL_NAME.test(entry) ? null : 'can be neither a host nor the name of a tool';
}

function scopeWarnings(field: string, entries: readonly string[]): readonly EntryWarning[] {
  return entries.flatMap((entry, i) =>
    entryReadings(entry) === null ? [warning(field, i, entry, 'is a path that goes up, which no data scope may')] : [],
  );
}

function coveredApis({ allowed_apis: allowed, blocked_apis: blocked }: BehaviorProfile): readonly EntryWarning[] {
  if (allowed.length === 0 || blocked.length === 0) return [];
  const list = new ApiList(blocked, 'block');
  return allowed.flatMap((entry, i) => covered('allowed_apis', i, entry, list.covers(entry), 'blocked_apis'));
}

function coveredNames({
  allowed_actions: allowed,
  off_limits_actions: forbidden,
}: BehaviorProfile): readonly EntryWarning[] {
  const list = new NamePatterns(forbidden);
  return allowed.flatMap((entry, i) => covered('allowed_actions', i, entry, list.match(entry), 'off_limits_actions'));
}

function coveredScopes({
  allowed_data_scopes: allowed,
  blocked_data_scopes: blocked,
}: BehaviorProfile): readonly EntryWarning[] {
  const list = new ScopeList(blocked, 'block');
  return allowed.flatMap((entry, i) =>
    covered('allowed_data_scopes', i, entry, list.match(entry) ?? null, 'blocked_data_scopes'),
  );
}

function covered(
  field: string,
  index: number,
  entry: string,
  by: string | null,
  other: string,
): readonly EntryWarning[] {
  return by === null
    ? []
    : [warning(field, index, entry, `is covered by ${JSON.stringify(by)} of ${other}, and blocked wins`)];
}

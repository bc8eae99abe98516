import type { BehaviorProfile } from '@countersign/contracts';
import { ApiList } from '../entries/api-list.js';
import { mergeSafetyRules } from './apply-patch.js';
import { emptyProfile } from './profile-fields.js';
import type { ProfileRules } from './profile-fields.js';

/** Lists that allow their entries, and deny everything else unless they are empty. */
const ALLOW_LISTS = ['allowed_apis', 'allowed_actions', 'allowed_data_scopes'] as const;

/**
 * Rules that deny everything that any of the profiles denies (decision record 0049): the union of what is blocked,
 * every limit, and the intersection of the allow-lists. Where that is empty, every action is off limits, since an empty
 * list would allow all. They enforce unless each of the profiles only observes.
 */
export function strictestOf(profiles: readonly BehaviorProfile[]): ProfileRules {
  const allowed = ALLOW_LISTS.map(
    (list) =>
      [
        list,
        allowedByEach(
          profiles.map((one) => one[list]),
          list,
        ),
      ] as const,
  );
  const {
    agent_id: _agent,
    version: _version,
    ...merged
  } = profiles.reduce(
    (sum, { agent_id: _of, version: _at, ...rules }) => mergeSafetyRules(sum, rules),
    emptyProfile(''),
  );
  const nothing = allowed.some(([, entries]) => entries?.length === 0);
  return {
    ...merged,
    ...Object.fromEntries(allowed.map(([list, entries]) => [list, entries ?? []])),
    ...addressesStayLimited(profiles, allowed.find(([list]) => list === 'allowed_apis')?.[1]),
    mode: profiles.length > 0 && profiles.every(({ mode }) => mode === 'observe') ? 'observe' : 'enforce',
    store_payload: profiles.length > 0 && profiles.every((one) => one.store_payload),
    ...(nothing ? { off_limits_actions: ['*'] } : {}),
  };
}

/** An address that does not resolve (RFC 2606): next to tools it means that no address is allowed. */
const NO_ADDRESS = 'https://nothing.invalid/';

/**
 * The intersection of lists that allow different addresses may contain only tools, and a list of tools limits no
 * address among their arguments.
 */
function addressesStayLimited(
  profiles: readonly BehaviorProfile[],
  merged: readonly string[] | null | undefined,
): Partial<ProfileRules> {
  const limits = (entries: readonly string[]): boolean => new ApiList(entries, 'allow').limitsAddresses;
  if (!merged?.length || limits(merged) || !profiles.some((one) => limits(one.allowed_apis))) return {};
  return { allowed_apis: [...merged, NO_ADDRESS] };
}

/** Entries that every non-empty list covers; `null`: all are empty. */
function allowedByEach(
  lists: readonly (readonly string[])[],
  kind: (typeof ALLOW_LISTS)[number],
): readonly string[] | null {
  const covers = kind === 'allowed_apis' ? coversApi : coversName;
  const [first, ...others] = lists.filter((list) => list.length > 0);
  if (first === undefined) return null;
  return others.reduce<readonly string[]>(
    (kept, list) => [
      ...new Set([
        ...kept.filter((entry) => list.some((wide) => covers(wide, entry))),
        ...list.filter((entry) => kept.some((wide) => covers(wide, entry))),
      ]),
    ],
    first,
  );
}

/** Reports whether `wide` allows everything that `entry` allows; `false` where the texts do not show it. */
function coversName(wide: string, entry: string): boolean {
  return wide === entry || (wide.endsWith('*') && entry.startsWith(wide.slice(0, -1)));
}

/** A plain name allows a host and a tool, a wildcard one of both: only entries of one form are compared. */
function coversApi(wide: string, entry: string): boolean {
  if (wide === entry) return true;
  if (wide.startsWith('*.')) return entry.startsWith('*.') && entry.endsWith(wide.slice(1));
  const ofTools = wide.endsWith('*') && entry.endsWith('*') && !wide.includes('/') && !entry.startsWith('*.');
  return ofTools && !entry.includes('/') && entry.startsWith(wide.slice(0, -1));
}

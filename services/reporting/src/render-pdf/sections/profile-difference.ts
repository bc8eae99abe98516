import type { JsonValue } from '@countersign/contracts';
import { canonicalize } from '@countersign/evidence';

type Profile = Readonly<Record<string, JsonValue>>;

/** Members that name the profile and are no rule of it. */
const NAMES = new Set(['agent_id', 'version']);

/** The rules of a profile, one line for each member that is not empty. */
export function profileLines(profile: Profile): readonly string[] {
  return Object.entries(profile)
    .filter(([name, value]) => !NAMES.has(name) && !isEmpty(value))
    .map(([name, value]) => `${name}: ${canonicalize(value)}`);
}

/** The difference of two profiles, one line for each member that differs; entries of lists are compared as sets. */
export function differenceLines(before: Profile, after: Profile): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !NAMES.has(name)).sort();
  return names.flatMap((name) => {
    const [old, now] = [before[name] ?? null, after[name] ?? null];
    if (canonicalize(old) === canonicalize(now)) return [];
    if (!Array.isArray(old) || !Array.isArray(now))
      return [`${name}: ${canonicalize(now)} instead of ${canonicalize(old)}`];
    const [added, removed] = [entriesWithout(now, old), entriesWithout(old, now)];
    const parts = [
      ...(added.length === 0 ? [] : [`added ${added.join(', ')}`]),
      ...(removed.length === 0 ? [] : [`removed ${removed.join(', ')}`]),
    ];
    return [`${name}: ${parts.length === 0 ? 'the same entries in another order or number' : parts.join('; ')}`];
  });
}

function entriesWithout(list: readonly JsonValue[], others: readonly JsonValue[]): readonly string[] {
  const known = new Set(others.map((one) => canonicalize(one)));
  return list.map((one) => canonicalize(one)).filter((one) => !known.has(one));
}

function isEmpty(value: JsonValue): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

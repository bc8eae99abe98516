import type { BehaviorProfile } from '@countersign/contracts';
import type { ProfileFields } from '../../api/profile.js';

/** The fields that a change may set: a profile without the agent's id and the number of its version. */
export function fieldsOf(profile: BehaviorProfile): ProfileFields {
  const { agent_id: _agent, version: _version, ...fields } = profile;
  return fields;
}

/**
 * The fields in which a draft differs, as the body of a change: a field that the draft leaves out is `null`, which unsets
 * it. Empty if nothing differs.
 */
export function changesOf(base: ProfileFields, draft: ProfileFields): ProfileFields {
  const names = new Set([...Object.keys(base), ...Object.keys(draft)]);
  return Object.fromEntries(
    [...names]
      .filter((name) => sorted(base[name]) !== sorted(draft[name]))
      .map((name) => [name, draft[name] ?? null] as const),
  );
}

/** A value as JSON whose members are in order, to compare; `undefined` and `null` are both unset. */
function sorted(value: unknown): string {
  return JSON.stringify(value ?? null, (_name, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

/** The fields of another version with the changes that a draft made since some fields. @param from those fields */
export function onto(version: ProfileFields, from: ProfileFields, draft: ProfileFields): ProfileFields {
  return { ...version, ...changesOf(from, draft) };
}

/** The object that a text holds, or why it holds none. @param read the value of the text; throws */
export function readFields(text: string, read: (text: string) => unknown, notObject: string): ProfileFields | string {
  try {
    const value = read(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ProfileFields) : notObject;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A field that two people changed, or one of them: as it was, as it is in force, and as it is in the draft. */
export interface ThreeWay {
  readonly name: string;
  readonly base: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
  /** Both changed it, differently. */
  readonly isConflict: boolean;
}

/** Fields in which the profile in force or the draft differs from the version that the draft is based on. */
export function threeWay(base: ProfileFields, theirs: ProfileFields, mine: ProfileFields): readonly ThreeWay[] {
  const [their, my] = [changesOf(base, theirs), changesOf(base, mine)];
  return [...new Set([...Object.keys(their), ...Object.keys(my)])].map((name) => ({
    name,
    base: base[name] ?? null,
    theirs: theirs[name] ?? null,
    mine: mine[name] ?? null,
    isConflict: Object.hasOwn(their, name) && Object.hasOwn(my, name) && sorted(their[name]) !== sorted(my[name]),
  }));
}

/** Entries of a list, one a line; blank lines are none. */
export function entriesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

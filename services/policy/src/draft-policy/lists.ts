import { isToolType, nameEntryProblem } from '@countersign/policy-engine';
import type { RulePatch } from '@countersign/policy-engine';
import { frequent } from './bounds.js';
import { hostsOf } from './matchers.js';
import type { SeenCheck } from './seen-check.js';
import { mayBeShown } from './shown-values.js';

/** More names are not a closed set. */
const MOST_ENTRIES = 200;

export type ListField = 'allowed_actions' | 'allowed_apis' | 'allowed_data_scopes';

/** An allow list that the checks suggest, or why none is. */
export interface SeenList {
  readonly field: ListField;
  readonly entries: readonly string[];
  /** Checks that it speaks about. */
  readonly checks: number;
  /** `null`: it can be tried. */
  readonly unfit: string | null;
}

/** The lists that the checks suggest. Whether one allows all of them is for the caller to try. */
export function seenLists(checks: readonly SeenCheck[], allowance: number): readonly SeenList[] {
  const named = checks.map(({ tool, type }) => tool ?? (isToolType(type) || type === '' ? null : type));
  const calls = checks.filter(({ action }) => typeof action['url'] === 'string');
  const data = checks.filter(({ action }) => typeof action['dataScope'] === 'string');
  return [
    listOf('allowed_actions', named, allowance),
    listOf(
      'allowed_apis',
      calls.map(({ action }) => hostsOf([String(action['url'])])[0] ?? null),
      allowance,
    ),
    listOf(
      'allowed_data_scopes',
      data.map(({ action }) => String(action['dataScope'])),
      allowance,
    ),
  ].filter(({ checks: spoken }) => spoken > 0);
}

function listOf(field: ListField, texts: readonly (string | null)[], allowance: number): SeenList {
  const entries = frequent(
    texts.map((text) => (text === null ? [] : [text])),
    allowance,
  );
  const found = { field, entries, checks: texts.length };
  if (texts.filter((text) => text === null).length > allowance) return { ...found, unfit: 'some checks name none' };
  if (entries.length > MOST_ENTRIES) return { ...found, unfit: `${entries.length} different ones are no closed set` };
  if (entries.some((entry) => nameEntryProblem(entry) !== null || entry.includes('*')))
    return { ...found, unfit: 'some names cannot be entries' };
  if (!entries.every(mayBeShown)) return { ...found, unfit: 'some names may be personal, or each of one thing' };
  return { ...found, unfit: null };
}

export const patchOf = ({ field, entries }: SeenList): RulePatch => ({ [field]: entries });

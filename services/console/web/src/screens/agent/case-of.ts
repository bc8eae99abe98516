import type { Explanation } from '@countersign/contracts';

/** An entry of `cases` of a policy file: one check, and what comes of it. */
export interface PolicyCase {
  readonly title: string;
  readonly action: unknown;
  readonly expect: 'allowed' | { readonly allowed: false; readonly violation_type?: string; readonly rule?: string };
}

/** A case that holds while the action is answered as it was. */
export function caseOf(title: string, action: unknown, { answer }: Pick<Explanation, 'answer'>): PolicyCase {
  if (answer.allowed) return { title, action, expect: 'allowed' };
  const { violation_type, rule } = answer as { readonly violation_type?: string; readonly rule?: string };
  return {
    title,
    action,
    expect: {
      allowed: false,
      ...(violation_type === undefined ? {} : { violation_type }),
      ...(rule === undefined ? {} : { rule }),
    },
  };
}

/** A policy file, as `countersign policy` reads it. */
export interface PolicyFile {
  readonly profile?: Readonly<Record<string, unknown>>;
  /** Those of a safety package; in place of `profile`. */
  readonly rules?: Readonly<Record<string, unknown>>;
  readonly cases: readonly unknown[];
}

/** @returns `null`: it is neither a profile nor rules */
export function policyFileOf(value: unknown): PolicyFile | null {
  if (!isObject(value)) return null;
  const { profile, rules, cases } = value;
  if (isObject(profile) === isObject(rules)) return null;
  return {
    ...(isObject(profile) ? { profile } : {}),
    ...(isObject(rules) ? { rules } : {}),
    cases: Array.isArray(cases) ? cases : [],
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

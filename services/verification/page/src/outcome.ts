import type { AgentCompleteness, Problem, WindowTime } from './evidence.js';
import type { KeyChoice } from './find-keys.js';
import type { ShownOversight } from './oversight.js';
import type { Recomputed } from './recompute.js';

/** The reader's choices. */
export interface Question {
  readonly keys: KeyChoice;
  /** `null`: no chain is asked. `authority`: an address that the reader trusts, in place of those that the service names. */
  readonly rpc: { readonly url: string; readonly authority: string | null } | null;
}

export interface Outcome {
  /** `holds`: all that can be checked was, and holds. `partly`: nothing is wrong, and something was not checked. */
  readonly verdict: 'holds' | 'partly' | 'refused';
  readonly what: 'package' | 'series' | 'absence' | 'event' | 'unreadable';
  /** Facts of the file, `[name, value]`; not verified where the verdict is `refused`. */
  readonly facts: readonly (readonly [string, string])[];
  readonly reportId: string | null;
  readonly packageSha256: string | null;
  readonly keySource: string | null;
  readonly chainSource: string;
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
  readonly problems: readonly (Pick<Problem, 'path' | 'message'> & { readonly code: string })[];
  readonly problemCount: number;
  /** `null`: the file has no checks whose verdicts could be computed again. */
  readonly redecision: Recomputed | null;
  /** `null`: the file states no figures that follow from its events. */
  readonly oversight: ShownOversight | null;
  readonly completeness: readonly AgentCompleteness[];
  readonly windowTimes: readonly WindowTime[];
}

/** A member of a file as text; `null` if it is not text. */
export function textOf(value: unknown, member: string): string | null {
  const found = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[member] : null;
  return typeof found === 'string' ? found : null;
}

/** A text or number of a file, cut to 100 characters; `?` for anything else. */
export function word(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 100) : '?';
}

import type { BehaviorProfile, JsonValue, LeafEvent, PackageEvent } from '@countersign/contracts';
import { canonicalBytes, toHex } from '@countersign/evidence';
import type { EvidenceCrypto } from '@countersign/evidence';
import { compileProfile, emptyProfile } from '@countersign/policy-engine';
import type { CompiledProfile } from '@countersign/policy-engine';
import { shownMember } from './read-events.js';
import type { Difference } from './result.js';

/** Time for which checks may still be judged by the profile before a change, ms: they were under way. */
const UNDER_WAY_MS = 300_000;

/** Members of a profile that read the payload of an action where they are not empty. */
const READ_PAYLOADS = ['allowed_apis', 'blocked_apis', 'rules', 'facts', 'limits', 'require'] as const;

export interface KnownProfile {
  readonly content: BehaviorProfile;
  /** `null`: it cannot be read. */
  readonly compiled: CompiledProfile | null;
  readonly readsPayload: boolean;
  /** Its rules use a function that cannot be evaluated here; it is not compiled then. */
  readonly lacksFunction: boolean;
}

interface Change {
  readonly sequence: number;
  readonly atMs: number;
  readonly version: number;
  readonly sha256: string;
}

/** The versions of one agent's profile that a package shows. */
export class AgentProfiles {
  readonly #changes: Change[] = [];
  readonly #byHash = new Map<string, KnownProfile>();

  readonly #without: readonly string[];

  /** @param without names of functions of rules that cannot be evaluated here */
  constructor(agentId: string, sha256: EvidenceCrypto['sha256'], without: readonly string[]) {
    this.#without = without;
    const first = emptyProfile(agentId);
    this.#byHash.set(toHex(sha256(canonicalBytes(first))), known(first as unknown as JsonValue, []));
  }

  /** Takes an event `profile.changed` of the agent; call it in the order of the sequence. */
  add({ event, sequence, opened }: PackageEvent): void {
    const { profileVersion, profileSha256, occurredAt } = event;
    if (profileVersion === null || profileSha256 === null) return;
    this.#changes.push({ sequence, atMs: Date.parse(occurredAt), version: profileVersion, sha256: profileSha256 });
    const shown = shownMember(opened.action, 'profile');
    if (shown !== undefined) this.#byHash.set(profileSha256, known(shown, this.#without));
  }

  /** The profile that a check names; `null`: the package does not show it. */
  of({ profileSha256 }: Pick<LeafEvent, 'profileSha256'>): KnownProfile | null {
    return this.#byHash.get(profileSha256 ?? '') ?? null;
  }

  /**
   * The shortest window of the versions between two, exclusive, ms: a check that is in no package, as it was not
   * answered, may have been judged by one of them, and dropped what was older. `Infinity`: none has a window; 0: one is not shown.
   * @param limitId `null`: of the rate
   */
  shortestBetween(after: number, before: number, limitId: string | null): number {
    if (before - after <= 1) return Infinity;
    const between = this.#changes.filter(({ version }) => version > after && version < before);
    if (new Set(between.map(({ version }) => version)).size < before - after - 1) return 0;
    return between.reduce((shortest, { sha256 }) => {
      const profile = this.#byHash.get(sha256);
      const isKnown = profile !== undefined && profile.compiled !== null;
      return Math.min(shortest, isKnown ? (windowOf(profile, limitId) ?? Infinity) : 0);
    }, Infinity);
  }

  /** The contradiction to the profile that a check names; `null`: none. */
  contradiction({ profileVersion, profileSha256 }: LeafEvent, sequence: number, atMs: number): Difference | null {
    for (const change of this.#changes) {
      if (change.version === profileVersion && change.sha256 !== profileSha256)
        return { member: 'profileSha256', recorded: profileSha256, recomputed: change.sha256 };
    }
    let newest = profileVersion ?? 0;
    for (const change of this.#changes) {
      if (change.sequence > sequence || atMs - change.atMs <= UNDER_WAY_MS) continue;
      newest = Math.max(newest, change.version);
    }
    if (newest === profileVersion) return null;
    return { member: 'profileVersion', recorded: profileVersion, recomputed: newest };
  }
}

/** `null`: no window. */
function windowOf({ content }: KnownProfile, limitId: string | null): number | null {
  const seconds =
    limitId === null
      ? content.rate_limit?.per_seconds
      : content.limits?.find(({ id }) => id === limitId)?.window_seconds;
  return seconds === undefined ? null : seconds * 1000;
}

/** Reports whether a profile that a package shows names `word` in its rules, such as a function of conditions. */
export function namesInRules(pkg: { readonly events: readonly PackageEvent[] }, word: string): boolean {
  return pkg.events.some(({ event, opened }) => {
    if (event.type !== 'profile.changed') return false;
    const profile = shownMember(opened.action, 'profile');
    return profile !== undefined && rulesTextOf(profile as unknown as BehaviorProfile).includes(word);
  });
}

function rulesTextOf({ rules, facts, limits }: BehaviorProfile): string {
  return JSON.stringify([rules ?? null, facts ?? null, limits ?? null]);
}

function known(value: JsonValue, without: readonly string[]): KnownProfile {
  const profile = value as unknown as BehaviorProfile;
  const { output_rules: output, spending_limit: spending } = profile;
  const rulesText = rulesTextOf(profile);
  const readsPayload =
    READ_PAYLOADS.some((name) => (profile[name]?.length ?? 0) > 0) ||
    (output ?? null) !== null ||
    (spending ?? null) !== null;
  const lacksFunction = without.some((name) => rulesText.includes(name));
  if (lacksFunction) return { content: profile, compiled: null, readsPayload, lacksFunction };
  try {
    return { content: profile, compiled: compileProfile(profile), readsPayload, lacksFunction };
  } catch {
    // Of a later release, or not a profile at all.
    return { content: profile, compiled: null, readsPayload, lacksFunction };
  }
}

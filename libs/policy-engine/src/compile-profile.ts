import type { BehaviorProfile, RateLimit, RequiredMember, SpendingWindow } from '@countersign/contracts';
import { ApiList } from './entries/api-list.js';
import { NamePatterns } from './entries/name-patterns.js';
import { limitToMicros } from './money.js';
import { ScopeList } from './scopes/scope-list.js';
import { compileOutputRules } from './output/compile-output-rules.js';
import type { CompiledOutputRules } from './output/compile-output-rules.js';
import { conditionalRules } from './profile/conditional-members.js';
import type { CompiledRules } from '@countersign/rules';

/** An empty list is no rule and is `null`. */
export interface CompiledProfile {
  readonly observe: boolean;
  readonly freezeOnViolation: boolean;
  readonly storePayload: boolean;
  /** Judged by the counters. */
  readonly spending: { readonly limitMicros: number; readonly window: SpendingWindow } | null;
  /** Judged by the counters. */
  readonly rate: RateLimit | null;
  readonly offLimitsActions: NamePatterns | null;
  readonly allowedActions: NamePatterns | null;
  readonly allowedApis: ApiList | null;
  readonly blockedApis: ApiList | null;
  readonly allowedDataScopes: ScopeList | null;
  readonly blockedDataScopes: ScopeList | null;
  /** Members that every action must have. */
  readonly required: readonly RequiredMember[] | null;
  readonly output: CompiledOutputRules | null;
  /** Rules with conditions, facts and limits. */
  readonly rules: CompiledRules | null;
}

/**
 * Computed once when a profile changes, so that a decision costs hash look-ups.
 * @throws RangeError for an entry that `readProfilePatch` refuses
 */
export function compileProfile(profile: BehaviorProfile): CompiledProfile {
  return {
    observe: profile.mode === 'observe',
    freezeOnViolation: profile.freeze_on_violation,
    storePayload: profile.store_payload,
    spending:
      profile.spending_limit === null
        ? null
        : { limitMicros: limitToMicros(profile.spending_limit), window: profile.spending_window },
    rate: profile.rate_limit,
    offLimitsActions: namesOf(profile.off_limits_actions),
    allowedActions: namesOf(profile.allowed_actions),
    allowedApis: profile.allowed_apis.length === 0 ? null : new ApiList(profile.allowed_apis, 'allow'),
    blockedApis: profile.blocked_apis.length === 0 ? null : new ApiList(profile.blocked_apis, 'block'),
    allowedDataScopes: scopesOf(profile.allowed_data_scopes, 'allow'),
    blockedDataScopes: scopesOf(profile.blocked_data_scopes, 'block'),
    required: profile.require === undefined || profile.require.length === 0 ? null : profile.require,
    output: compileOutputRules(profile.output_rules),
    rules: conditionalRules(profile),
  };
}

function namesOf(entries: readonly string[]): NamePatterns | null {
  return entries.length === 0 ? null : new NamePatterns(entries);
}

function scopesOf(entries: readonly string[], side: 'allow' | 'block'): ScopeList | null {
  return entries.length === 0 ? null : new ScopeList(entries, side);
}

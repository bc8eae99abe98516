import type { BehaviorProfile } from '@countersign/contracts';

/** The fields that a client may change: all except the agent's id and the version. */
export type ProfileRules = Omit<BehaviorProfile, 'agent_id' | 'version'>;

/**
 * The fields of a PATCH that was read and found well formed. `agent_id` and `version`, when present, are preconditions:
 * the caller refuses another `agent_id` with 400 and another `version` with 409.
 */
export type ProfilePatch = Partial<Omit<ProfileRules, OptionalField>> & {
  /** `null` and an empty list unset it. */
  readonly [K in OptionalField]?: ProfileRules[K] | null;
} & {
  readonly agent_id?: string;
  readonly version?: number;
};

/** A patch of rules that belong to no profile yet: those of a safety package. */
export type RulePatch = Omit<ProfilePatch, 'agent_id' | 'version'>;

export const LIST_FIELDS = [
  'allowed_apis',
  'blocked_apis',
  'off_limits_actions',
  'allowed_actions',
  'allowed_data_scopes',
  'blocked_data_scopes',
] as const satisfies readonly (keyof ProfileRules)[];

/** Fields that a profile has only where they are set, so that its hash is as before they existed. */
export const OPTIONAL_FIELDS = [
  'require',
  'rules',
  'facts',
  'limits',
] as const satisfies readonly (keyof ProfileRules)[];
export type OptionalField = (typeof OPTIONAL_FIELDS)[number];

/** In the order of `GET …/profile`. */
export const RULE_FIELDS = [
  'mode',
  'allowed_apis',
  'blocked_apis',
  'spending_limit',
  'spending_window',
  'rate_limit',
  'off_limits_actions',
  'allowed_actions',
  'allowed_data_scopes',
  'blocked_data_scopes',
  'freeze_on_violation',
  'store_payload',
  'output_rules',
  ...OPTIONAL_FIELDS,
] as const satisfies readonly (keyof ProfileRules)[];

/** The profile of a new agent: version 1, no rule. */
export function emptyProfile(agentId: string): BehaviorProfile {
  return {
    agent_id: agentId,
    version: 1,
    mode: 'enforce',
    allowed_apis: [],
    blocked_apis: [],
    spending_limit: null,
    spending_window: 'day',
    rate_limit: null,
    off_limits_actions: [],
    allowed_actions: [],
    allowed_data_scopes: [],
    blocked_data_scopes: [],
    freeze_on_violation: false,
    store_payload: false,
    output_rules: null,
  };
}

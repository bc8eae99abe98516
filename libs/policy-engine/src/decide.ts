import type { ActionKind, PolicyCoverage } from '@countersign/contracts';
import type { CompiledProfile } from './compile-profile.js';
import { dollarsToMicros } from './money.js';
import { readUrl } from './urls/read-url.js';
import type { ReadUrl } from './urls/read-url.js';
import {
  actionNotListed,
  apiBlocked,
  apiNotListed,
  offLimits,
  scopeBlocked,
  scopeMissing,
  scopeNotListed,
  urlUnreadable,
} from './violation.js';
import type { Violation } from './violation.js';

/** A check's `action` as received. Members of another type than a check may have are judged as if they named nothing allowed. */
export type Action = Readonly<Record<string, unknown>>;

export interface Decision {
  /** By the static rules; spending and rate are judged by the counters. */
  readonly violation: Violation | null;
  /** Whether any rule of the profile spoke of this kind of action. */
  readonly coverage: PolicyCoverage;
  /** What the action would spend, in whole micro-dollars. */
  readonly costMicros: number;
  readonly actionKind: ActionKind;
}

/**
 * The verdict of the static rules, in the order off-limits and allowed actions, APIs, data scope; the first that denies.
 * Total and pure: any JSON object has a decision. What `observe` makes of a violation is the caller's to do.
 */
export function decide(profile: CompiledProfile, action: Action): Decision {
  const url = action['url'];
  const tool = textOf(action['tool_name']);
  const other = textOf(action['toolName']);
  const scope = textOf(action['dataScope']);
  const cost = action['estimatedCost'];
  const kind = kindOf(action['type']);
  const namesApi = url !== undefined || tool !== null || other !== null;
  const governed =
    profile.rate !== null ||
    profile.offLimitsActions !== null ||
    profile.allowedActions !== null ||
    (namesApi && (profile.allowedApis !== null || profile.blockedApis !== null)) ||
    ((scope !== null || kind === 'data_access') &&
      (profile.allowedDataScopes !== null || profile.blockedDataScopes !== null)) ||
    (cost !== undefined && profile.spending !== null);
  const violation = governed
    ? (judgeAction(profile, textOf(action['type']) ?? '', tool, other) ??
      (namesApi ? judgeApis(profile, url, tool, other) : null) ??
      judgeScope(profile, scope, kind))
    : null;
  return {
    violation,
    coverage: governed ? 'governed' : 'none',
    costMicros: typeof cost === 'number' ? dollarsToMicros(cost) : 0,
    actionKind: kind,
  };
}

/** Absent is `null`; what is not text is a name that no list holds. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return value === undefined ? null : '';
}

function kindOf(type: unknown): ActionKind {
  switch (type) {
    case 'http_call':
    case 'llm_response':
    case 'data_access':
    case 'tool_use':
      return type;
    default:
      return 'other';
  }
}

function judgeAction(
  profile: CompiledProfile,
  type: string,
  tool: string | null,
  other: string | null,
): Violation | null {
  const forbidden = profile.offLimitsActions;
  if (forbidden !== null) {
    const entry =
      forbidden.match(type) ??
      (tool === null ? null : forbidden.match(tool)) ??
      (other === null ? null : forbidden.match(other));
    if (entry !== null) return offLimits(entry);
  }
  const allowed = profile.allowedActions;
  if (allowed === null || allowed.match(type) !== null) return null;
  // Not by its type: then by its tool, and where two are named by both.
  if (tool === null && other === null) return actionNotListed();
  if (tool !== null && allowed.match(tool) === null) return actionNotListed();
  return other !== null && allowed.match(other) === null ? actionNotListed() : null;
}

function judgeApis(
  profile: CompiledProfile,
  url: unknown,
  tool: string | null,
  other: string | null,
): Violation | null {
  const { allowedApis: allowed, blockedApis: blocked } = profile;
  if (allowed === null && blocked === null) return null;
  let read: ReadUrl | null = null;
  if (url !== undefined) {
    read = typeof url === 'string' ? readUrl(url) : null;
    if (read === null) {
      return blocked === null
        ? urlUnreadable('allowed_apis', allowed!.size)
        : urlUnreadable('blocked_apis', blocked.size);
    }
  }
  if (blocked !== null) {
    const entry =
      (read === null ? null : blocked.matchUrl(read)) ??
      (tool === null ? null : blocked.matchName(tool)) ??
      (other === null ? null : blocked.matchName(other));
    if (entry !== null) return apiBlocked(entry, blocked.size);
  }
  if (allowed === null) return null;
  const listed =
    (read === null || allowed.matchUrl(read) !== null) &&
    (tool === null || allowed.matchName(tool) !== null) &&
    (other === null || allowed.matchName(other) !== null);
  return listed ? null : apiNotListed(allowed.size);
}

function judgeScope(profile: CompiledProfile, scope: string | null, kind: ActionKind): Violation | null {
  const { allowedDataScopes: allowed, blockedDataScopes: blocked } = profile;
  if (scope === null) return allowed !== null && kind === 'data_access' ? scopeMissing() : null;
  const entry = blocked === null ? null : blocked.match(scope);
  if (entry !== null) return scopeBlocked(entry);
  return allowed !== null && allowed.match(scope) === null ? scopeNotListed() : null;
}

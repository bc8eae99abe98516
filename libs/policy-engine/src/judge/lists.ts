import type { RequiredMember } from '@countersign/contracts';
import type { ApiList } from '../entries/api-list.js';
import type { NamePatterns } from '../entries/name-patterns.js';
import type { ScopeList } from '../scopes/scope-list.js';
import type { ReadUrl } from '../urls/read-url.js';
import {
  actionNotListed,
  apiBlocked,
  apiMissing,
  apiNotListed,
  memberMisnamed,
  memberRequired,
  offLimits,
  scopeBlocked,
  scopeMissing,
  scopeNotListed,
  scopeUnreadable,
  urlUnreadable,
} from '../violation.js';
import type { Violation } from '../violation.js';
import { isKind, misnamed, names } from './subject.js';
import type { Subject } from './subject.js';

/** `off_limits_actions`: by type or by tool. */
export function judgeOffLimits(forbidden: NamePatterns, subject: Subject): Violation | null {
  const { type, tool, other } = subject;
  const byType = forbidden.match(type);
  if (byType !== null) return offLimits(byType, 'type');
  const byTool = tool === null ? null : forbidden.match(tool);
  if (byTool !== null) return offLimits(byTool, 'tool_name');
  const byOther = other === null ? null : forbidden.match(other);
  if (byOther !== null) return offLimits(byOther, 'toolName');
  const found = misnamed(subject, 'tool');
  return found === null ? null : memberMisnamed('off_limits_actions', 'tool', found);
}

/** `allowed_actions`: the type is listed, or tools are named and all of them are. */
export function judgeAllowedActions(allowed: NamePatterns, subject: Subject): Violation | null {
  const { type, tool, other } = subject;
  if (allowed.match(type) !== null) return null;
  if (tool === null && other === null) {
    const found = misnamed(subject, 'tool');
    return found === null ? actionNotListed('type', allowed.size) : memberMisnamed('allowed_actions', 'tool', found);
  }
  if (tool !== null && allowed.match(tool) === null) return actionNotListed('tool_name', allowed.size);
  return other !== null && allowed.match(other) === null ? actionNotListed('toolName', allowed.size) : null;
}

/** `blocked_apis`. @param url of `urlOf` */
export function judgeBlockedApis(
  blocked: ApiList,
  url: ReadUrl | string | undefined,
  subject: Subject,
): Violation | null {
  const { tool, other } = subject;
  if (typeof url === 'string') return urlUnreadable('blocked_apis', blocked.size, url);
  const byUrl = url === undefined ? null : blocked.matchUrl(url);
  if (byUrl !== null) return apiBlocked(byUrl, 'url', blocked.size);
  const byTool = tool === null ? null : blocked.matchName(tool);
  if (byTool !== null) return apiBlocked(byTool, 'tool_name', blocked.size);
  const byOther = other === null ? null : blocked.matchName(other);
  if (byOther !== null) return apiBlocked(byOther, 'toolName', blocked.size);
  const missing = blocked.namesUrls ? addressMissing('blocked_apis', blocked, subject) : null;
  return missing ?? (blocked.namesTools ? toolMisnamed('blocked_apis', subject) : null);
}

/** `allowed_apis`: every API and tool that is named must be listed. @param url of `urlOf` */
export function judgeAllowedApis(
  allowed: ApiList,
  url: ReadUrl | string | undefined,
  subject: Subject,
): Violation | null {
  const { size } = allowed;
  const { tool, other } = subject;
  if (typeof url === 'string') return urlUnreadable('allowed_apis', size, url);
  if (url !== undefined && allowed.matchUrl(url) === null) {
    return apiNotListed('url', size, allowed.nearestToUrl(url));
  }
  if (tool !== null && allowed.matchName(tool) === null) {
    return apiNotListed('tool_name', size, allowed.nearestToName(tool));
  }
  if (other !== null && allowed.matchName(other) === null) {
    return apiNotListed('toolName', size, allowed.nearestToName(other));
  }
  const missing = addressMissing('allowed_apis', allowed, subject) ?? toolMisnamed('allowed_apis', subject);
  if (missing !== null || names(subject, 'url') || names(subject, 'tool')) return missing;
  return isKind(subject, 'tool_use') ? apiMissing('allowed_apis', 'tool', size) : null;
}

/** A call without an address, or with one that no rule reads. */
function addressMissing(field: 'allowed_apis' | 'blocked_apis', { size }: ApiList, subject: Subject): Violation | null {
  if (names(subject, 'url')) return null;
  const found = misnamed(subject, 'url');
  if (found !== null) return memberMisnamed(field, 'url', found);
  return isKind(subject, 'http_call') ? apiMissing(field, 'url', size) : null;
}

function toolMisnamed(field: 'allowed_apis' | 'blocked_apis', subject: Subject): Violation | null {
  const found = misnamed(subject, 'tool');
  return found === null ? null : memberMisnamed(field, 'tool', found);
}

/** `blocked_data_scopes`. */
export function judgeBlockedScopes(blocked: ScopeList, subject: Subject): Violation | null {
  const { scope } = subject;
  if (scope === null) return scopeMisnamed('blocked_data_scopes', subject);
  const entry = blocked.match(scope);
  if (entry === undefined) return scopeUnreadable('blocked_data_scopes');
  return entry === null ? null : scopeBlocked(entry);
}

/** `allowed_data_scopes`: `data_access` must name one. */
export function judgeAllowedScopes(allowed: ScopeList, subject: Subject): Violation | null {
  const { scope } = subject;
  if (scope === null) {
    const found = scopeMisnamed('allowed_data_scopes', subject);
    return found ?? (isKind(subject, 'data_access') ? scopeMissing(allowed.size) : null);
  }
  const entry = allowed.match(scope);
  if (entry === undefined) return scopeUnreadable('allowed_data_scopes');
  return entry === null ? scopeNotListed(allowed.size) : null;
}

function scopeMisnamed(field: 'allowed_data_scopes' | 'blocked_data_scopes', subject: Subject): Violation | null {
  const found = misnamed(subject, 'data_scope');
  return found === null ? null : memberMisnamed(field, 'data_scope', found);
}

/** The output rules of an action without a payload. */
export function judgeMissingOutput(subject: Subject): Violation | null {
  const found = misnamed(subject, 'payload');
  return found === null ? null : memberMisnamed('output_rules', 'payload', found);
}

/** `require`: the first member in its order that the action has not. */
export function judgeRequired(required: readonly RequiredMember[], subject: Subject): Violation | null {
  const missing = required.find((member) => !names(subject, member));
  return missing === undefined ? null : memberRequired(missing, misnamed(subject, missing));
}

/** What `spending_limit` says before anything is counted. */
export function judgeMissingCost(subject: Subject): Violation | null {
  const found = misnamed(subject, 'cost');
  return found === null ? null : memberMisnamed('spending_limit', 'cost', found);
}

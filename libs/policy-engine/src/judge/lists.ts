import type { ApiList } from '../entries/api-list.js';
import type { NamePatterns } from '../entries/name-patterns.js';
import type { ReadUrl } from '../urls/read-url.js';
import {
  actionNotListed,
  apiBlocked,
  apiNotListed,
  offLimits,
  scopeBlocked,
  scopeMissing,
  scopeNotListed,
  urlUnreadable,
} from '../violation.js';
import type { Violation } from '../violation.js';
import type { Subject } from './subject.js';

/** `off_limits_actions`: by type or by tool. */
export function judgeOffLimits(forbidden: NamePatterns, { type, tool, other }: Subject): Violation | null {
  const byType = forbidden.match(type);
  if (byType !== null) return offLimits(byType, 'type');
  const byTool = tool === null ? null : forbidden.match(tool);
  if (byTool !== null) return offLimits(byTool, 'tool_name');
  const byOther = other === null ? null : forbidden.match(other);
  return byOther === null ? null : offLimits(byOther, 'toolName');
}

/** `allowed_actions`: the type is listed, or tools are named and all of them are. */
export function judgeAllowedActions(allowed: NamePatterns, { type, tool, other }: Subject): Violation | null {
  if (allowed.match(type) !== null) return null;
  if (tool === null && other === null) return actionNotListed('type', allowed.size);
  if (tool !== null && allowed.match(tool) === null) return actionNotListed('tool_name', allowed.size);
  return other !== null && allowed.match(other) === null ? actionNotListed('toolName', allowed.size) : null;
}

/** `blocked_apis`. @param url of `urlOf` */
export function judgeBlockedApis(
  blocked: ApiList,
  url: ReadUrl | null | undefined,
  { tool, other }: Subject,
): Violation | null {
  if (url === null) return urlUnreadable('blocked_apis', blocked.size);
  const byUrl = url === undefined ? null : blocked.matchUrl(url);
  if (byUrl !== null) return apiBlocked(byUrl, 'url', blocked.size);
  const byTool = tool === null ? null : blocked.matchName(tool);
  if (byTool !== null) return apiBlocked(byTool, 'tool_name', blocked.size);
  const byOther = other === null ? null : blocked.matchName(other);
  return byOther === null ? null : apiBlocked(byOther, 'toolName', blocked.size);
}

/** `allowed_apis`: every API and tool that is named must be listed. @param url of `urlOf` */
export function judgeAllowedApis(
  allowed: ApiList,
  url: ReadUrl | null | undefined,
  { tool, other }: Subject,
): Violation | null {
  if (url === null) return urlUnreadable('allowed_apis', allowed.size);
  if (url !== undefined && allowed.matchUrl(url) === null) return apiNotListed('url', allowed.size);
  if (tool !== null && allowed.matchName(tool) === null) return apiNotListed('tool_name', allowed.size);
  return other !== null && allowed.matchName(other) === null ? apiNotListed('toolName', allowed.size) : null;
}

/** `blocked_data_scopes`. */
export function judgeBlockedScopes(blocked: NamePatterns, { scope }: Subject): Violation | null {
  const entry = scope === null ? null : blocked.match(scope);
  return entry === null ? null : scopeBlocked(entry);
}

/** `allowed_data_scopes`: `data_access` must name one. */
export function judgeAllowedScopes(allowed: NamePatterns, { scope, kind }: Subject): Violation | null {
  if (scope === null) return kind === 'data_access' ? scopeMissing(allowed.size) : null;
  return allowed.match(scope) === null ? scopeNotListed(allowed.size) : null;
}

import type { RequiredMember } from '@countersign/contracts';
import type { ApiList } from '../entries/api-list.js';
import type { NamePatterns } from '../entries/name-patterns.js';
import type { ScopeList } from '../scopes/scope-list.js';
import type { ReadingBudget } from '../urls/path-views.js';
import { isTooLong } from '../urls/authority.js';
import {
  authorityOf,
  beforePath,
  followedAs,
  hostsIn,
  readLeniently,
  TO_PARSE,
  withoutBreaks,
} from '../urls/followed-as.js';
import { readUrl } from '../urls/read-url.js';
import type { ReadUrl } from '../urls/read-url.js';
import { followedOf, hasMoreLines, isProse, locationOf, readFound } from './arguments.js';
import type { FoundAddress } from './arguments.js';
import {
  actionNotListed,
  apiBlocked,
  apiMissing,
  apiNotListed,
  memberMisnamed,
  memberRequired,
  membersDisagree,
  offLimits,
  scopeBlocked,
  scopeMissing,
  scopeNotListed,
  scopeUnreadable,
  urlUnreadable,
} from '../violation.js';
import type { Reader, Violation } from '../violation.js';
import type { RuledMember } from './members.js';
import {
  argumentAddresses,
  contradicted,
  fills,
  isHttpRequest,
  isKind,
  isToolType,
  misnamed,
  nameGiven,
  names,
} from './subject.js';
import type { Subject } from './subject.js';

/**
 * Why a rule cannot be judged by the `member` that it reads: another member was meant as it, or can mean nothing else
 * and disagrees with it. `null` where neither exists, whether or not the action has the member.
 */
function doubt(reader: Reader, member: RuledMember, subject: Subject): Violation | null {
  const found = misnamed(subject, member);
  if (found !== null) return memberMisnamed(reader, member, found);
  const other = contradicted(subject, member);
  return other === null ? null : membersDisagree(reader, member, nameGiven(subject, member), other);
}

/** `off_limits_actions`: by type or by tool. */
export function judgeOffLimits(forbidden: NamePatterns, subject: Subject): Violation | null {
  const { type, tool, other } = subject;
  const byType = forbidden.match(type);
  if (byType !== null) return offLimits(byType, 'type');
  const byTool = tool === null ? null : forbidden.match(tool);
  if (byTool !== null) return offLimits(byTool, 'tool_name');
  const byOther = other === null ? null : forbidden.match(other);
  if (byOther !== null) return offLimits(byOther, 'toolName');
  return doubt('off_limits_actions', 'tool', subject);
}

/** `allowed_actions`: the type is listed, or tools are named and all of them are. */
export function judgeAllowedActions(allowed: NamePatterns, subject: Subject): Violation | null {
  const { type, tool, other } = subject;
  if (allowed.match(type) !== null) return null;
  if (tool !== null && allowed.match(tool) === null) return actionNotListed('tool_name', allowed.size);
  if (other !== null && allowed.match(other) === null) return actionNotListed('toolName', allowed.size);
  const doubtful = doubt('allowed_actions', 'tool', subject);
  if (doubtful !== null || names(subject, 'tool')) return doubtful;
  return actionNotListed('type', allowed.size);
}

/** Problem of a URL beyond the budget of its call. */
const TOO_MANY_WAYS =
  'takes, with the other addresses of the request, more to judge than is judged at once: send fewer addresses in one call';

/** Reports whether a list needed the paths of a URL after the budget of its call was used up. */
function isBeyond(url: ReadUrl, budget: ReadingBudget): boolean {
  return url.views === null && budget.over;
}

/** `blocked_apis`. @param found of `argumentAddresses` */
export function judgeBlockedApis(
  blocked: ApiList,
  url: ReadUrl | string | undefined,
  found: readonly FoundAddress[],
  subject: Subject,
): Violation | null {
  const { tool, other, budget } = subject;
  if (typeof url === 'string') return urlUnreadable('blocked_apis', blocked.size, url, null);
  const byUrl = url === undefined ? null : blocked.matchUrl(url, budget);
  if (url !== undefined && isBeyond(url, budget))
    return urlUnreadable('blocked_apis', blocked.size, TOO_MANY_WAYS, null);
  if (byUrl !== null) return apiBlocked(byUrl, 'url', blocked.size);
  const byArgument = found.length > 0 && blocked.namesUrls ? argumentBlocked(blocked, found, budget) : null;
  if (byArgument !== null) return byArgument;
  const byTool = tool === null ? null : blocked.matchName(tool);
  if (byTool !== null) return apiBlocked(byTool, 'tool_name', blocked.size);
  const byOther = other === null ? null : blocked.matchName(other);
  if (byOther !== null) return apiBlocked(byOther, 'toolName', blocked.size);
  const missing = blocked.namesUrls ? addressMissing('blocked_apis', blocked, subject) : null;
  return missing ?? (blocked.namesTools ? doubt('blocked_apis', 'tool', subject) : null);
}

/** Independent of the action's own `url`. */
function argumentBlocked(blocked: ApiList, found: readonly FoundAddress[], budget: ReadingBudget): Violation | null {
  for (const one of found) {
    const finding = findBlocked(blocked, one, budget);
    // A list of names only does not limit what is not judged.
    if (!blocked.limitsAddresses && budget.over) return null;
    if (finding === null || ('problem' in finding && !blocked.limitsAddresses)) continue;
    if ('entry' in finding) return apiBlocked(finding.entry, locationOf(one), blocked.size);
    return urlUnreadable('blocked_apis', blocked.size, finding.problem, locationOf(one));
  }
  return null;
}

/** An entry that blocks an address, or the reason why that cannot be excluded. */
type Finding = { readonly entry: string } | { readonly problem: string };

/** An unreadable address is judged where the list limits addresses and a client may request it over HTTP. */
function findBlocked(blocked: ApiList, one: FoundAddress, budget: ReadingBudget): Finding | null {
  if (one.given === null) return { problem: readFound(one) as string };
  const text = followedOf(one);
  const read = text === one.address ? readFound(one) : readUrl(text);
  if (typeof read === 'string' && one.isPiece && blocked.limitsAddresses) return { problem: read };
  const finding = typeof read === 'string' ? findInUnreadable(blocked, text, budget) : match(blocked, read, budget);
  return finding ?? (hasMoreLines(one) ? findInLines(blocked, one.address, budget) : null);
}

/** In the text as read by clients that remove line breaks. */
function findInLines(blocked: ApiList, address: string, budget: ReadingBudget): Finding | null {
  if (!budget.take(2 * TO_PARSE)) return { problem: TOO_MANY_WAYS };
  const [url, whole] = withoutBreaks(address);
  for (const followed of url === whole ? [url] : [url, whole]) {
    const lenient = readLeniently(followed);
    const finding = lenient === null ? null : match(blocked, lenient, budget);
    if (finding !== null) return finding;
  }
  if (hostIsSure(url)) return null;
  return findHost(blocked, beforePath(url), budget, true);
}

function findInUnreadable(blocked: ApiList, text: string, budget: ReadingBudget): Finding | null {
  const { urls, surely } = followedAs(text);
  let alike = urls.length > 0 && !/\s/.test(text);
  // A second one differs in its scheme only.
  let isCharged = false;
  for (const url of urls) {
    const read = readUrl(url);
    alike &&= typeof read !== 'string';
    const lenient = typeof read === 'string' ? readLeniently(url) : read;
    if (!isCharged && !isPlain(read)) {
      if (!budget.take(lenient === null ? 2 * TO_PARSE : url.length)) return { problem: TOO_MANY_WAYS };
      isCharged = true;
    }
    const isFollowed = surely === 'if it parses' ? lenient !== null || isTooLong(authorityOf(url)) : surely;
    if (typeof read === 'string' && isFollowed && blocked.limitsAddresses && !hostIsSure(url)) return { problem: read };
    const finding = lenient === null ? null : match(blocked, lenient, budget);
    if (finding !== null) return finding;
  }
  return alike || !blocked.limitsAddresses || DATA.test(text) ? null : findHost(blocked, text, budget, false);
}

/** Carries its content and leads to no host. */
const DATA = /^\s*data:/i;

function isPlain(read: ReadUrl | string): boolean {
  return typeof read !== 'string' && read.plain;
}

/**
 * Reports whether all clients read the same host in a URL, whatever they read as its path. Some remove a blank at its
 * end.
 */
function hostIsSure(url: string): boolean {
  if (/[\s\x85]$/.test(url)) return false;
  const before = beforePath(url);
  return NO_HOST.test(before) || typeof readUrl(`${before}/`) !== 'string';
}

/**
 * A host with characters that DNS does not have, and that no client reads as the end of a host: it does not resolve.
 */
const NO_HOST = /^https?:\/\/(?:[\w.~!$&'()*+,;=:-]*@)?[\w.-]*[!$&'()*+,;=~|<>"`][\w.~!$&'()*+,;=|<>"`-]*(?::\d*)?$/i;

function match(blocked: ApiList, url: ReadUrl, budget: ReadingBudget): Finding | null {
  const entry = blocked.matchUrl(url, budget);
  if (isBeyond(url, budget)) return { problem: TOO_MANY_WAYS };
  return entry === null ? null : { entry };
}

/** @param anyPath whether a host is blocked where a path on it is */
function findHost(blocked: ApiList, text: string, budget: ReadingBudget, anyPath: boolean): Finding | null {
  for (const written of hostsIn(text, budget)) {
    if (written === null) return { problem: TOO_MANY_WAYS };
    const entry = blocked.matchHost(written.host, written.port, anyPath);
    if (entry !== null) return { entry };
  }
  return null;
}

/** `allowed_apis`: every API and tool that is named must be listed. @param found of `argumentAddresses` */
export function judgeAllowedApis(
  allowed: ApiList,
  url: ReadUrl | string | undefined,
  found: readonly FoundAddress[],
  subject: Subject,
): Violation | null {
  const { size } = allowed;
  const { tool, other, budget } = subject;
  if (typeof url === 'string') return urlUnreadable('allowed_apis', size, url, null);
  if (url !== undefined && allowed.matchUrl(url, budget) === null) {
    if (isBeyond(url, budget)) return urlUnreadable('allowed_apis', size, TOO_MANY_WAYS, null);
    return apiNotListed('url', size, allowed.nearestToUrl(url, budget));
  }
  const judged = found.length > 0 && url === undefined && allowed.limitsAddresses;
  const byArgument = judged ? argumentNotAllowed(allowed, found, budget) : null;
  if (byArgument !== null) return byArgument;
  if (tool !== null && allowed.matchName(tool) === null) {
    return apiNotListed('tool_name', size, allowed.nearestToName(tool));
  }
  if (other !== null && allowed.matchName(other) === null) {
    return apiNotListed('toolName', size, allowed.nearestToName(other));
  }
  const missing = addressMissing('allowed_apis', allowed, subject) ?? doubt('allowed_apis', 'tool', subject);
  if (missing !== null || url !== undefined || (judged && !found.every(isProse)) || names(subject, 'tool'))
    return missing;
  return isToolType(subject.type) ? apiMissing('allowed_apis', 'tool', size) : null;
}

function argumentNotAllowed(allowed: ApiList, found: readonly FoundAddress[], budget: ReadingBudget): Violation | null {
  const { size } = allowed;
  for (const one of found) {
    if (isProse(one)) continue;
    const read = readFound(one);
    if (typeof read === 'string') return urlUnreadable('allowed_apis', size, read, locationOf(one));
    if (allowed.matchUrl(read, budget) !== null) continue;
    if (isBeyond(read, budget)) return urlUnreadable('allowed_apis', size, TOO_MANY_WAYS, locationOf(one));
    return apiNotListed(locationOf(one), size, allowed.nearestToUrl(read, budget));
  }
  return null;
}

/** A call without an address, or with one that no rule reads. */
function addressMissing(field: 'allowed_apis' | 'blocked_apis', { size }: ApiList, subject: Subject): Violation | null {
  const doubtful = doubt(field, 'url', subject);
  if (doubtful !== null || names(subject, 'url')) return doubtful;
  return isHttpRequest(subject) ? apiMissing(field, 'url', size) : null;
}

/** `blocked_data_scopes`. */
export function judgeBlockedScopes(blocked: ScopeList, subject: Subject): Violation | null {
  const { scope } = subject;
  const entry = scope === null ? null : blocked.match(scope);
  if (entry === undefined) return scopeUnreadable('blocked_data_scopes');
  return entry === null ? doubt('blocked_data_scopes', 'data_scope', subject) : scopeBlocked(entry);
}

/** `allowed_data_scopes`: `data_access` must name one. */
export function judgeAllowedScopes(allowed: ScopeList, subject: Subject): Violation | null {
  const { scope } = subject;
  if (scope !== null) {
    const entry = allowed.match(scope);
    if (entry === undefined) return scopeUnreadable('allowed_data_scopes');
    if (entry === null) return scopeNotListed(allowed.size);
  }
  const doubtful = doubt('allowed_data_scopes', 'data_scope', subject);
  if (doubtful !== null || scope !== null) return doubtful;
  return isKind(subject, 'data_access') ? scopeMissing(allowed.size) : null;
}

/** The verdict of the output rules on an action whose payload is in doubt. */
export function judgePayloadDoubt(subject: Subject): Violation | null {
  return doubt('output_rules', 'payload', subject);
}

/** `require`: the first member in its order that the action lacks, leaves blank, or has twice with different values. */
export function judgeRequired(required: readonly RequiredMember[], subject: Subject): Violation | null {
  for (const member of required) {
    if (!isNamed(subject, member)) return memberRequired(member, misnamed(subject, member));
    const other = contradicted(subject, member);
    if (other !== null) return membersDisagree('require', member, nameGiven(subject, member), other);
  }
  return null;
}

/** A text address among the arguments of a tool call counts as named: it is judged as the action's own. */
function isNamed(subject: Subject, member: RequiredMember): boolean {
  if (fills(subject, member)) return true;
  return member === 'url' && argumentAddresses(subject).some(({ given }) => given !== null);
}

/** The verdict of `spending_limit` on an action whose cost is in doubt, before anything is counted. */
export function judgeCostDoubt(subject: Subject): Violation | null {
  return doubt('spending_limit', 'cost', subject);
}

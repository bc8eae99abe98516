import type { EventRecord, ListedAction, ViolationType } from '@countersign/contracts';
import type { ProfileFields } from '../../api/profile.js';
import { allowWords } from '../../words/agent.js';

type Denial = Pick<EventRecord, 'violation_type' | 'rule' | 'reason' | 'action'>;
/** The fields that allow what was denied, with what else they allow, or why no change is well defined. */
export type Allowing = { readonly changes: ProfileFields; readonly also: string } | { readonly why: string };

/** Denials by lists, of which an entry is the reason, or a missing one. Of every other type no single change follows. */
const BY_LISTS: ReadonlySet<string> = new Set<ViolationType>([
  'api_not_allowed',
  'off_limits_action',
  'data_scope_denied',
]);
const BLOCKING: ReadonlySet<string> = new Set(['blocked_apis', 'off_limits_actions', 'blocked_data_scopes']);
const ALLOWING: ReadonlySet<string> = new Set(['allowed_apis', 'allowed_actions', 'allowed_data_scopes']);
const NOT_LISTED = 'not listed';
/** Ends of rules that could not be judged: the action is to be sent in another form. */
const UNJUDGED = /^(unreadable |no .* given$|.* contradicted$)/;

/** Texts that an entry cannot mean otherwise than as written: no pattern, no encoding, no sign that looks like another. */
const PLAIN = /^[\w.:/-]+$/;
/** Names that are no host but one of a single label, and no number. */
const NAME = /^(?!localhost$)[a-z_][\w-]*$/i;
/** An address that all clients read alike; its path has no encodings and no parameters. */
const ADDRESS = /^https?:\/\/[a-z\d.-]+(?::\d+)?(?:\/[\w.~:-]+)+\/?$/;
/** Types by which the engine means every call of a kind, in lower case without separators. */
const KIND =
  /tool|function|mcp|^(?:https?|api|rest|web|network|url)(?:call|request|fetch|get|head|post|put|patch|delete)$|^(?:fetch|curl|wget|webhook|llmresponse|dataaccess|other)$/;

/** Why no change of a profile would allow a denied check; `null`: one may. */
export function whyNotAllowed(denial: Denial): string | null {
  const { violation_type: type, rule, action } = denial;
  if (type === null || !BY_LISTS.has(type)) return allowWords.types[type as ViolationType] ?? allowWords.unknown;
  const [list, entry] = partsOf(rule);
  if (UNJUDGED.test(entry)) return allowWords.unjudged;
  if (BLOCKING.has(list)) return isNarrow(list, entry) ? null : allowWords.wide;
  if (!ALLOWING.has(list) || entry !== NOT_LISTED) return allowWords.unknown;
  if (action === null) return allowWords.erased;
  return missingEntry(list, denial) === null ? allowWords.noEntry : null;
}

/**
 * The smallest change of a profile after which the list that denied a check does not: the entry that blocks is left out, or
 * what is missing is added. Other rules may still deny.
 * @param profile the fields in force
 */
export function allowing(denial: Denial, profile: ProfileFields): Allowing {
  const why = whyNotAllowed(denial);
  if (why !== null) return { why };
  const [list, entry] = partsOf(denial.rule);
  const present = profile[list];
  const entries = Array.isArray(present) ? (present as readonly unknown[]) : [];
  const missing = BLOCKING.has(list) ? null : missingEntry(list, denial);
  const isChangedSince =
    missing === null ? !entries.includes(entry) : entries.length === 0 || entries.includes(missing);
  if (isChangedSince) return { why: allowWords.changedSince };
  const rest = missing === null ? entries.filter((one) => one !== entry) : [...entries, missing];
  return { changes: { [list]: rest }, also: allowWords.also[list] ?? '' };
}

/** The list, and the entry that matched or how it ended. */
function partsOf(rule: string | null | undefined): readonly [list: string, entry: string] {
  const [list = '', ...entry] = (rule ?? '').split(':');
  return [list, entry.join(':')];
}

/** True for an entry that stands for one host, name or scope: without any other, all that it covers would be open. */
function isNarrow(list: string, entry: string): boolean {
  if (!PLAIN.test(entry)) return false;
  return list === 'blocked_apis' ? !entry.includes('/') : list !== 'off_limits_actions' || !isKind(entry);
}

/** The entry for what was asked; `null`: no member of its own named it, or the entry would be read as more than it. */
function missingEntry(list: string, { action, reason }: Denial): string | null {
  const { type, url, tool_name: tool, dataScope } = action as ListedAction;
  const by = /^(?:The (?:tool|address) in (tool_name|url)|This (type) of action) is /.exec(reason ?? '');
  const member = by?.[1] ?? by?.[2];
  if (list === 'allowed_data_scopes') return matching(dataScope, PLAIN);
  if (list === 'allowed_apis')
    return member === 'tool_name' ? matching(tool, NAME) : addressOf(member === 'url' && url);
  const name = member === 'tool_name' ? tool : member === 'type' ? type : null;
  const plain = matching(name, PLAIN);
  return plain === null || isKind(plain) ? null : plain;
}

function matching(text: unknown, pattern: RegExp): string | null {
  return typeof text === 'string' && pattern.test(text) ? text : null;
}

/** Reports whether an entry of this name would be one for all actions of a kind. */
function isKind(name: string): boolean {
  return KIND.test(name.toLowerCase().replaceAll(/[_.-]/g, ''));
}

/** The URL without its query; `null`: a prefix of it would be a whole host, or is not read by all as it is written. */
function addressOf(url: unknown): string | null {
  const address = typeof url === 'string' ? matching(url.split(/[?#]/)[0], ADDRESS) : null;
  if (address === null || !URL.canParse(address)) return null;
  const { origin, pathname } = new URL(address);
  return address === origin + pathname ? address : null;
}

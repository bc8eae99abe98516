import type { EventRecord, ListedAction, ViolationType } from '@countersign/contracts';
import type { ProfileFields } from '../../api/profile.js';
import { allowWords } from '../../words/agent.js';

type Denial = Pick<EventRecord, 'violation_type' | 'rule' | 'reason' | 'action'>;
/** The fields that allow what was denied, or why no change is well defined. */
export type Allowing = { readonly changes: ProfileFields } | { readonly why: string };

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

/** Why no change of a profile would allow a denied check; `null`: one may. */
export function whyNotAllowed({ violation_type: type, rule, action }: Denial): string | null {
  if (type === null || !BY_LISTS.has(type)) return allowWords.types[type as ViolationType] ?? allowWords.unknown;
  const [list, entry] = partsOf(rule);
  if (UNJUDGED.test(entry)) return allowWords.unjudged;
  if (BLOCKING.has(list)) return null;
  if (!ALLOWING.has(list) || entry !== NOT_LISTED) return allowWords.unknown;
  return action === null ? allowWords.erased : null;
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
  if (BLOCKING.has(list)) {
    const rest = entries.filter((one) => one !== entry);
    return rest.length === entries.length ? { why: allowWords.changedSince } : { changes: { [list]: rest } };
  }
  const missing = missingEntry(list, denial);
  if (missing === null) return { why: allowWords.noEntry };
  return entries.length === 0 || entries.includes(missing)
    ? { why: allowWords.changedSince }
    : { changes: { [list]: [...entries, missing] } };
}

/** The list, and the entry that matched or how it ended. */
function partsOf(rule: string | null | undefined): readonly [list: string, entry: string] {
  const [list = '', ...entry] = (rule ?? '').split(':');
  return [list, entry.join(':')];
}

/** The entry that names exactly what was asked for; `null`: it was not named by a member of its own, or would be a pattern. */
function missingEntry(list: string, { action, reason }: Denial): string | null {
  const { type, url, tool_name: tool, dataScope } = action as ListedAction;
  const byTool = /^(The tool in tool_name|tool_name) is /.test(reason ?? '');
  const byOwn = /^(The address in url|type) is /.test(reason ?? '');
  const named =
    list === 'allowed_data_scopes'
      ? dataScope
      : byTool
        ? tool
        : byOwn
          ? list === 'allowed_apis'
            ? hostOf(url)
            : type
          : null;
  return typeof named === 'string' && named !== '' && !named.includes('*') ? named : null;
}

function hostOf(url: unknown): string | null {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : null;
}

import { createHash, createHmac } from 'node:crypto';
import type { ApprovalAsked, CheckAction, JsonValue, RuleMember } from '@countersign/contracts';
import type { RuleTrip } from '@countersign/counters';
import { canonicalize } from '@countersign/evidence';

/** Seconds for which an approval is open where the rule does not say. */
const DEFAULT_SECONDS = 86_400;

/** A rule with the effect `approve`. */
interface AskingRule {
  readonly member: RuleMember;
  readonly sha256: string;
  /** Paths of the action that the binding leaves out. */
  readonly ignored: Paths;
  /** Those that it leaves out of an evaluation with `context.time`. */
  readonly ignoredOfTimed: Paths;
}

type Paths = readonly (readonly string[])[];

/** A model calls a tool again under another id. */
const CALL_ID = ['metadata', 'toolCallId'];
/** `context.time` of an evaluation (AuthZEN Access Request and Approval Profile, "Authorization-Relevant Context"). */
const TIME = ['metadata', 'time'];

/** The rules of a profile that ask for an approval, by the name of their violation. */
export type AskingRules = ReadonlyMap<string, AskingRule>;

/** `null`: none of the rules asks for an approval. */
export function askingRules(members: readonly RuleMember[]): AskingRules | null {
  const asking = members.filter(({ effect, mode }) => effect === 'approve' && mode !== 'observe');
  if (asking.length === 0) return null;
  return new Map(
    asking.map((member) => {
      const sha256 = createHash('sha256').update(canonicalize(member)).digest('hex');
      const ignored = [CALL_ID, ...(member.ignore ?? []).map((path) => path.split('.'))];
      // A rule that reads metadata is bound to the time as well.
      const ignoredOfTimed = JSON.stringify([member.when, member.args]).includes('metadata')
        ? ignored
        : [TIME, ...ignored];
      return [`rules:${member.id}`, { member, sha256, ignored, ignoredOfTimed }];
    }),
  );
}

/** A check that may need an approval. */
export interface AskingCheck {
  readonly accountId: string;
  readonly agentId: string;
  readonly apiKeyId: string;
  /** On whose behalf the agent acts; `null`: not said. */
  readonly principal: string | null;
  readonly action: CheckAction;
  /** `metadata.time` of the action is `context.time` of an evaluation: the time of the attempt. */
  readonly isTimed: boolean;
  /** Fresh id. */
  readonly candidateId: () => string;
  /** Most open approvals of the agent. */
  readonly mostPending: number;
  /** Id that the caller names; `null`: none. */
  readonly namedId: string | null;
}

/**
 * The rules of a trip, with what those ask for that want an approval.
 * @param key of the bindings
 */
export function withApprovals(rules: RuleTrip, asking: AskingRules, check: AskingCheck, key: Uint8Array): RuleTrip {
  const asked: NonNullable<RuleTrip['approvals']>['rules'][number][] = [];
  const conditional = rules.conditional.map((one, rule) => {
    const { violation, observe } = one;
    const asks =
      observe || violation.violation_type !== 'approval_required' ? undefined : asking.get(violation.rule ?? '');
    if (asks === undefined) return one;
    const approval = approvalOf(asks, check, key);
    const { ruleId, bindingSha256, expiresSeconds } = approval;
    asked.push({ rule, ruleId, bindingSha256, expiresSeconds });
    return { ...one, violation: { ...violation, approval } };
  });
  if (asked.length === 0) return rules;
  const { candidateId, mostPending, namedId } = check;
  return {
    ...rules,
    conditional,
    approvals: { rules: asked, candidateId: candidateId(), mostPending, namedId },
  };
}

function approvalOf(rule: AskingRule, check: AskingCheck, key: Uint8Array): ApprovalAsked {
  const { member, sha256 } = rule;
  const { id, approvers, reuse, expires_seconds: expiresSeconds = DEFAULT_SECONDS } = member;
  const ignored = check.isTimed ? rule.ignoredOfTimed : rule.ignored;
  const bound = boundAction(check.action, reuse?.scope === 'tool', ignored);
  // Where the requester may not decide, each requester asks for an own approval: joining that of another would hide one.
  const who = approvers?.not_requester === true ? [[check.apiKeyId, check.principal]] : [];
  const text = canonicalize([check.accountId, check.agentId, id, sha256, bound, ...who]);
  return {
    ruleId: id,
    ruleSha256: sha256,
    bindingSha256: createHmac('sha256', key).update(text).digest('hex'),
    expiresSeconds,
    ...(approvers === undefined ? {} : { approvers }),
    ...(reuse === undefined ? {} : { reuse }),
  };
}

/** The part of an action that an approval is bound to. @param isForTool it is bound to the tool alone, where one is named */
function boundAction(action: CheckAction, isForTool: boolean, ignored: Paths): JsonValue {
  const { type, tool_name: tool = null, toolName: other = null } = action;
  // Rules match either name, so both are bound.
  if (isForTool && (typeof tool === 'string' || typeof other === 'string')) {
    return { type, tool_name: tool as JsonValue, toolName: other as JsonValue };
  }
  const { metadata, ...others } = ignored.reduce(withoutPath, action as JsonValue) as {
    readonly [name: string]: JsonValue;
  };
  // Metadata of the attempt alone bind as much as none.
  return metadata === undefined || isEmpty(metadata) ? others : { ...others, metadata };
}

function withoutPath(value: JsonValue, [name = '', ...rest]: readonly string[]): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return value;
  const { [name]: member, ...others } = value as { readonly [name: string]: JsonValue };
  return rest.length === 0 ? others : { ...others, [name]: withoutPath(member!, rest) };
}

function isEmpty(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

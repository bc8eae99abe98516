import type { Answer } from './transport.js';
import { CountersignError } from './errors.js';
import { patchOf } from './modified-action.js';
import type { PatchOperation } from './modified-action.js';
import { parseStrictly } from './strict-json.js';
import type { ErrorCode, RefusalCode, UnavailableCode } from './errors.js';

/** Decision of the service, or of the fail mode, about an action. */
export interface CheckResult {
  readonly allowed: boolean;
  /** Reason of a denial, with what to do instead. */
  readonly reason?: string;
  readonly severity?: string;
  /** Set if the policy did not decide: the plan, the credentials, the request, or no answer. */
  readonly violations?: readonly (RefusalCode | UnavailableCode)[];
  /** Kind of violation of the profile: `api_not_allowed`, `spending_limit_exceeded`… */
  readonly violationType?: string;
  readonly rule?: string;
  readonly detail?: string;
  /** Of `unsafe_output`: `pii`, `secret`, `topic` or `length`. */
  readonly category?: string;
  /** Of `pii`: the kind that was found, such as `iban`. */
  readonly piiKind?: string;
  /** Of `topic`: the blocked topic that was found. */
  readonly matchedTopic?: string;
  /** Of `length`: the number of characters. */
  readonly length?: number;
  /** Of `limit_exceeded`: the window of the limit before the check. */
  readonly budget?: LimitBudget;
  /** How else it may go on: `step_up` after a person's approval, `modify` in another form, `defer` later. */
  readonly decision?: string;
  /** Of `approval_required`: `approval_pending`, `approval_denied`, `approval_expired`, `out_of_scope`… */
  readonly code?: string;
  /** `retry` after the approval or later, `request` by checking again, `modify` by checking `modifiedAction`, `none`. */
  readonly nextAction?: string;
  /** Of `approval_required`: the request that a person decides, where it is decided, and its end (ISO 8601). */
  readonly approvalId?: string;
  readonly approvalUrl?: string;
  readonly expiresAt?: string;
  /** Of `modify`: the change after which the action is to be checked again, as `modifiedAction` makes it. */
  readonly patch?: readonly PatchOperation[];
  /** Of `defer`: what has to come true first. */
  readonly missing?: readonly string[];
  /** Milliseconds after which the service asks to try again. */
  readonly retryAfterMs?: number;
  readonly upgradeUrl?: string;
  /** The event that records the check, for the report of its outcome. */
  readonly eventId?: string;
  /** `none`: no rule of the profile applies to this kind of action. */
  readonly coverage?: 'governed' | 'none';
  /** In observe mode, the violation that would have been denied: `<violation type>; rule=<rule, percent-encoded>`. */
  readonly wouldDeny?: string;
  /** This is the decision, with the event, of an earlier check with the same idempotency key: nothing was counted again. */
  readonly idempotentReplay?: true;
  /** There was no decision, and the fail mode is `open`. */
  readonly failedOpen?: true;
  /** Set together with `violations`: the error. */
  readonly error?: CountersignError;
}

/** The window of a limit. Amounts are decimals: `2.5`. */
export interface LimitBudget {
  readonly unit: 'count' | 'sum';
  readonly windowSeconds: number;
  readonly limit: string;
  readonly consumed: string;
  readonly remaining: string;
  /** ISO 8601 time before which the balance does not decrease; `null`: the amount alone exceeds the limit. */
  readonly resetsAt: string | null;
}

type Members = Readonly<Record<string, unknown>>;

/** By status, for a body without a code. */
const REFUSALS: Readonly<Record<number, RefusalCode>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  402: 'sandbox_expired',
  404: 'agent_not_found',
};
/** The same for a body with `allowed: false`: other programs send these statuses as well. */
const DENIALS: Readonly<Record<number, RefusalCode>> = { 403: 'agent_frozen', 429: 'plan_action_cap' };
const BY_BODY: ReadonlySet<string> = new Set<ErrorCode>([
  'sandbox_expired',
  'sandbox_action_cap',
  'plan_action_cap',
  'agent_frozen',
]);

/**
 * The result in the answer to a check.
 * @throws CountersignError with `isUnavailable` if it holds no decision
 */
export function readCheck(answer: Answer): CheckResult {
  const { status } = answer;
  if (status === 200) {
    const body = membersOf(answer);
    if (typeof body['allowed'] !== 'boolean') throw invalid(answer, 'it does not say whether the action is allowed');
    return result(answer, body, body['allowed']);
  }
  const error = readRefusal(answer);
  if (error.isUnavailable) throw error;
  const body = membersOf(answer);
  const violations = [error.code as RefusalCode];
  const reason = error.code === 'not_countersign' ? { reason: error.message } : {};
  return { reason: error.message, ...result(answer, body, false), ...reason, violations, error };
}

/** The error of an answer that is not a success. An answer that is not one of the service is unavailable, whatever its status. */
export function readRefusal(answer: Answer): CountersignError {
  const { status, retryAfterMs, eventId } = answer;
  const details = {
    status,
    ...(eventId === undefined ? {} : { eventId }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  if (status >= 500) {
    const { reason, code } = membersOrNone(answer);
    const known = code === 'deadline_exceeded' ? code : 'unavailable';
    return new CountersignError(known, textOf(reason) ?? `the service answered ${status}`, details);
  }
  if (status < 400) return invalid(answer, `its status is ${status}`);
  const body = membersOrNone(answer);
  const said = textOf(body['error']) ?? textOf(body['reason']);
  if (said === undefined) return invalid(answer, `it is a ${status} that is not the service's: check baseUrl`);
  if (status === 404 && !said.startsWith('no such ')) return elsewhere(said, details);
  const code = textOf(body['code']);
  if (code !== undefined && BY_BODY.has(code)) return new CountersignError(code as RefusalCode, said, details);
  const denies = code === undefined && body['allowed'] === false;
  const known = REFUSALS[status] ?? (denies ? DENIALS[status] : undefined) ?? 'refused';
  return new CountersignError(known, said, details);
}

/** A 404 that is not about an agent or event. */
function elsewhere(said: string, details: CountersignError['details']): CountersignError {
  const isOurs = said === 'there is no such route';
  const words = isOurs ? 'Countersign has no such route' : `what answered is not Countersign ("${said.slice(0, 200)}")`;
  const hint = 'check baseUrl, which is the address of the service without a path such as /v1/check';
  return new CountersignError('not_countersign', `${words}: ${hint}`, details);
}

function result(answer: Answer, body: Members, allowed: boolean): CheckResult {
  const named = {
    reason: textOf(body['reason']),
    severity: textOf(body['severity']),
    violationType: textOf(body['violation_type']),
    rule: textOf(body['rule']),
    detail: textOf(body['detail']),
    category: textOf(body['category']),
    piiKind: textOf(body['pii_kind']),
    matchedTopic: textOf(body['matched_topic']),
    length: countOf(body['length']),
    budget: budgetOf(body['budget']),
    decision: textOf(body['decision']),
    code: allowed || answer.status !== 200 ? undefined : textOf(body['code']),
    nextAction: textOf(body['next_action']),
    patch: patchOf(body['patch']),
    missing: textsOf(body['missing']),
    approvalId: textOf(body['approval_id']),
    approvalUrl: textOf(body['approval_url']),
    expiresAt: textOf(body['expires_at']),
    retryAfterMs: answer.status === 200 ? answer.retryAfterMs : undefined,
    upgradeUrl: textOf(body['upgrade_url']),
    eventId: answer.eventId,
    coverage: answer.coverage,
    wouldDeny: answer.wouldDeny,
    idempotentReplay: answer.idempotentReplay,
  };
  const there = Object.entries(named).filter(([, value]) => value !== undefined);
  return { allowed, ...Object.fromEntries(there) };
}

/** @throws CountersignError `invalid_response` if the answer is not a JSON object */
export function membersOf(answer: Answer): Members {
  let body: unknown;
  try {
    body = parseStrictly(answer.text);
  } catch (cause) {
    throw invalid(answer, 'it is not JSON that says each name once', cause);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid(answer, 'it is no JSON object');
  return body as Members;
}

function membersOrNone(answer: Answer): Members {
  try {
    return membersOf(answer);
  } catch {
    return {};
  }
}

export function invalid(answer: Answer, why: string, cause?: unknown): CountersignError {
  return new CountersignError('invalid_response', `the answer is not one of the service: ${why}`, {
    status: answer.status,
    ...(cause === undefined ? {} : { cause }),
  });
}

function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

/** A budget that is whole; `undefined` for any other value. */
function budgetOf(value: unknown): LimitBudget | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const body = value as Members;
  const { unit } = body;
  const [windowSeconds, limit] = [countOf(body['window_seconds']), textOf(body['limit'])];
  const [consumed, remaining] = [textOf(body['consumed']), textOf(body['remaining'])];
  const resetsAt = body['resets_at'] === null ? null : textOf(body['resets_at']);
  if (unit !== 'count' && unit !== 'sum') return undefined;
  if (windowSeconds === undefined || limit === undefined || consumed === undefined || remaining === undefined)
    return undefined;
  return resetsAt === undefined ? undefined : { unit, windowSeconds, limit, consumed, remaining, resetsAt };
}

/** A list of texts; `undefined` for any other value. */
function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

import type { Action } from '../action.js';
import type { CountersignError } from '../errors.js';
import type { CallOptions } from '../options.js';
import type { CheckResult } from '../result.js';
import { begin, isDenied, type BegunAction, type Guard } from './begun-action.js';

/** The used part of a request of Node, Express or Fastify. */
export interface RequestLike {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
}

/** The used part of Node's `ServerResponse`. */
export interface ResponseLike {
  readonly statusCode: number;
  readonly writableFinished: boolean;
  readonly destroyed?: boolean;
  once(event: 'finish' | 'close', listener: () => void): unknown;
  removeListener(event: 'finish' | 'close', listener: () => void): unknown;
}

export interface RequestGuardOptions<Request> {
  /** The action that handling this request takes; `null`: none, so nothing is checked. */
  readonly action: (request: Request) => Action | null | Promise<Action | null>;
  /** The agent that acts, if it is not the client's. Take it from verified credentials. */
  readonly agentId?: (request: Request) => string | undefined;
  /** Idempotency key of the check. Default: a new one for each request, so that each is judged and counted. */
  readonly idempotencyKey?: (request: Request) => string | undefined;
}

/** Answer in place of the handler's. */
export interface Refusal {
  readonly status: 403 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Checks before a request is handled. If it is allowed, the outcome is reported from the response: succeeded below status 400,
 * otherwise, and for a closed connection, failed.
 * @returns `go`: handle it; `gone`: the connection is closed; or the refusal to send
 * @throws errors of `action`, `agentId` and `idempotencyKey`; TypeError for an invalid action
 */
export async function judge<Request>(
  countersign: Guard,
  request: Request,
  response: ResponseLike,
  options: RequestGuardOptions<Request>,
): Promise<'go' | 'gone' | Refusal> {
  const left = new AbortController();
  const leave = (): void => left.abort();
  response.once('close', leave);
  // Earlier middleware may have waited as well.
  if (response.destroyed === true) leave();
  try {
    const action = await options.action(request);
    if (action === null) return 'go';
    if (left.signal.aborted) return 'gone';
    return await judged(countersign, action, response, callOptionsOf(request, options), left.signal);
  } finally {
    response.removeListener('close', leave);
  }
}

async function judged(
  countersign: Guard,
  action: Action,
  response: ResponseLike,
  options: CallOptions,
  left: AbortSignal,
): Promise<'go' | 'gone' | Refusal> {
  try {
    const begun = await begin(countersign, action, { ...options, signal: left });
    if (left.aborted) {
      await begun.failed();
      return 'gone';
    }
    reportAtEnd(response, begun);
    return 'go';
  } catch (error) {
    if (left.aborted) return 'gone';
    return refusalOf(error);
  }
}

function callOptionsOf<Request>(request: Request, options: RequestGuardOptions<Request>): CallOptions {
  const agentId = options.agentId?.(request);
  const idempotencyKey = options.idempotencyKey?.(request);
  return {
    ...(agentId === undefined ? {} : { agentId }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}

function reportAtEnd(response: ResponseLike, begun: BegunAction): void {
  response.once('finish', () => void (response.statusCode < 400 ? begun.succeeded() : begun.failed()));
  response.once('close', () => void (response.writableFinished ? undefined : begun.failed()));
}

/** Refusals that concern the agent. Others concern this service, and its caller cannot change them. */
const OF_THE_AGENT: ReadonlySet<string> = new Set(['agent_frozen', 'agent_not_found']);

function refusalOf(error: unknown): Refusal {
  if (isDenied(error)) {
    const { result } = error;
    const [code] = result.violations ?? [];
    return code === undefined || OF_THE_AGENT.has(code) ? denial(result) : undecided(code);
  }
  if (error instanceof Error && error.name === 'CountersignError') return undecided((error as CountersignError).code);
  throw error;
}

/** Body and status of a denial, as in `POST /v1/check`. */
function denial({ eventId, ...result }: CheckResult): Refusal {
  const body = {
    allowed: false,
    reason: result.reason,
    severity: result.severity,
    violation_type: result.violationType,
    rule: result.rule,
    detail: result.detail,
    category: result.category,
    pii_kind: result.piiKind,
    matched_topic: result.matchedTopic,
    length: result.length,
    budget: budgetBody(result.budget),
    code: result.violations?.[0],
  };
  return answer(403, body, eventId === undefined ? {} : { 'x-event-id': eventId });
}

function budgetBody(budget: CheckResult['budget']): object | undefined {
  if (budget === undefined) return undefined;
  const { windowSeconds, resetsAt, ...amounts } = budget;
  return { ...amounts, window_seconds: windowSeconds, resets_at: resetsAt };
}

function undecided(code: string): Refusal {
  const reason = 'Whether this is allowed was not decided, so nothing was done. Try again later.';
  return answer(503, { allowed: false, reason, code }, { 'retry-after': '1' });
}

function answer(status: Refusal['status'], body: object, headers: Readonly<Record<string, string>>): Refusal {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(body),
  };
}

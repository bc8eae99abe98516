import type { Action } from '../action.js';
import type { CountersignError } from '../errors.js';
import type { CallOptions } from '../options.js';
import type { CheckResult } from '../result.js';
import { begin, isDenied, type BegunAction, type Guard } from './begun-action.js';

/** What is used of a request of Node's, Express's or Fastify's. */
export interface RequestLike {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
}

/** What is used of Node's `ServerResponse`. */
export interface ResponseLike {
  readonly statusCode: number;
  readonly writableFinished: boolean;
  readonly destroyed?: boolean;
  once(event: 'finish' | 'close', listener: () => void): unknown;
  removeListener(event: 'finish' | 'close', listener: () => void): unknown;
}

export interface RequestGuardOptions<Request> {
  /** What handling this request does; `null`: nothing that is to be asked about. */
  readonly action: (request: Request) => Action | null | Promise<Action | null>;
  /** Who acts, where it is not the client's agent. Take it from credentials that were verified. */
  readonly agentId?: (request: Request) => string | undefined;
  /** Of the check. Default: a new one for each request, so that each is judged and counted. */
  readonly idempotencyKey?: (request: Request) => string | undefined;
}

/** What is answered in place of the handler. */
export interface Refusal {
  readonly status: 403 | 503;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Asks before a request is handled; once it is allowed, what became of it is told by the response: succeeded below 400,
 * failed otherwise, and where it broke off.
 * @returns `go`: handle it; `gone`: nobody waits for an answer; or what to answer
 * @throws what `action`, `agentId` and `idempotencyKey` throw; TypeError where the action is not one
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
  // Whoever was before this may have waited as well.
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

/** The agent's own: its policy, or that it is frozen or unknown. Of all else the caller knows nothing, and can change nothing. */
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

/** As `POST /v1/check` says it. */
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
    code: result.violations?.[0],
  };
  return answer(403, body, eventId === undefined ? {} : { 'x-event-id': eventId });
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

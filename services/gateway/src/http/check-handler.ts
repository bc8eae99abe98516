import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Deadlines } from '@countersign/async';
import { traceOfMeta } from '@countersign/contracts';
import type { RefusalLog } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import type { Admission } from '../admission/admission.js';
import { CLOSED } from '../admission/closed.js';
import type { Closed } from '../admission/closed.js';
import type { UnansweredChecks } from '../append-event/unanswered-checks.js';
import type { ReadModel, KnownKey } from '../follow/read-model.js';
import { sendError } from './answers.js';
import { HttpReply } from './http-reply.js';
import { RequestIds } from './request-ids.js';
import { readCheckHeaders } from './check-headers.js';
import type { CheckHeaders } from './check-headers.js';
import { readBody } from './read-body.js';
import type { BodyRead } from './read-body.js';
import { ShedResponder } from './shed-responder.js';
import type { GatewayMetrics } from '../metrics/gateway-metrics.js';
import { idempotencyKeyProblem, idempotencyStamp, stampedBody } from '../domain/idempotency.js';
import { readOrigin, TWO_PRINCIPALS } from '../domain/origin.js';
import { PendingCheck } from '../check/pending-check.js';
import type { UnansweredCheck } from '../domain/unanswered-event.js';
import type { CheckObserver, CheckReply } from '../check/pending-check.js';
import type { CheckJob } from '../check/check-job.js';
import type { CheckJudge } from '../check/check-judge.js';
import type { Credentials } from '../check/credentials.js';
import { isMalformed, prepareCheck, withoutAttempt } from '../check/prepare.js';
import { readSignature } from '../signature/read-signature.js';
import { CheckSignature } from '../signature/signatures.js';
import { subjectTokenOf } from '../check/subject-token-of.js';

/** Under this path, an action may carry the `_meta` of the tool call that it was made of. */
const TOOL_PROTOCOL = '/v1/mcp/check';
const PATHS = ['/v1/check', TOOL_PROTOCOL] as const;
/** Path of the evaluations, which the edge passes on once it has read them. */
const EVALUATION = '/access/v1/evaluation';
/**
 * Bytes reserved for a body before any of it has come; the rest as it comes: an announced length alone takes nothing
 * from others.
 */
const FIRST_BYTES = 16 * 1024;

const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;

export interface CheckHandlerParts {
  readonly known: ReadModel;
  readonly credentials: Credentials;
  readonly judge: CheckJudge;
  readonly admission: Admission;
  readonly unanswered: Pick<UnansweredChecks, 'add'>;
  readonly deadlines: Deadlines<PendingCheck>;
  readonly metrics: GatewayMetrics;
  readonly refusals: RefusalLog;
  readonly log: Pick<ServiceContext['log'], 'error'>;
  readonly deadlineMs: number;
  /** Reads the client's address from the header that the edge adds. */
  readonly behindEdge: boolean;
  /** Monotonic, ms. */
  readonly now: () => number;
}

/** Handles `POST /v1/check`, in the order of refusal of additions.md, until each check is answered. */
export class CheckHandler implements CheckObserver {
  readonly #parts: CheckHandlerParts;
  readonly #requestIds = new RequestIds();
  readonly #shedResponder = new ShedResponder(this.#requestIds);
  #drained: (() => void) | null = null;

  constructor(parts: CheckHandlerParts) {
    this.#parts = parts;
  }

  /** Returns whether the request is for this handler, which then answers it. */
  readonly handle = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (checkPathOf(request.url!) === null) return this.#shedsEvaluation(request, response);
    if (request.method !== 'POST') {
      this.#parts.metrics.answered(405);
      sendError(response, 405, 'use POST', this.#requestIds.next(), ['allow', 'POST']);
      return true;
    }
    const { admission } = this.#parts;
    const entered = admission.enter();
    const now = entered < 0 ? this.#parts.now() : entered;
    let headers: CheckHeaders | null = null;
    let closed = entered < 0 ? CLOSED.event_loop : admission.closed(now);
    if (entered < 0) {
      headers = readCheckHeaders(request.rawHeaders);
      if (this.#owed(headers, now)) closed = admission.closed(now);
    }
    if (closed !== null) {
      this.#shed(response, closed, closed.checkBody);
      return true;
    }
    headers ??= readCheckHeaders(request.rawHeaders);
    const bytes = headers.contentLength < 0 ? FIRST_BYTES : Math.min(headers.contentLength, FIRST_BYTES);
    const check = this.#begin(
      new HttpReply(response, headers, this.#requestIds.next(), this.#parts.behindEdge),
      bytes,
      now,
    );
    if (check !== null) this.#admit(check, request, headers);
    return true;
  };

  /** An event-loop tick with requests is over. */
  endTick(): void {
    this.#shedResponder.endTick();
  }

  /** Handles a check that came in another way than through {@link handle}. @param bytes memory that it takes */
  ask(job: CheckJob, reply: CheckReply, bytes: number): void {
    const now = this.#parts.now();
    const closed = this.#parts.admission.closed(now);
    if (closed !== null) {
      this.#countShed(closed);
      reply.unavailable('unavailable', closed.words, null);
      return;
    }
    const check = this.#begin(reply, bytes, now);
    if (check !== null && this.#takesSlot(check, job.key)) this.#parts.judge.judge(check, job);
  }

  unanswered(check: UnansweredCheck, claimed: boolean): void {
    this.#parts.unanswered.add(check, claimed);
  }

  ended(check: PendingCheck, status: number, reason: string | null, reply: CheckReply): void {
    const { admission } = this.#parts;
    admission.release(check.reservedBytes);
    if (check.accountId !== null) admission.giveSlotBack(check.accountId, check.reservedBytes);
    this.#parts.metrics.answered(status);
    if (reason !== null) this.#parts.refusals.refused(status, reason, () => reply.source?.() ?? null);
    if (admission.inFlight === 0) this.#drained?.();
  }

  failed(error: unknown): void {
    this.#parts.log.error({ err: error }, 'a check failed for a reason that was not foreseen');
  }

  /** Admits no more checks; resolves when pending ones are over, at the latest at their deadlines. */
  drain(): Promise<void> {
    const { admission } = this.#parts;
    admission.stop();
    if (admission.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#drained = resolve;
    });
  }

  /** `null`: it was answered, because the pending bodies are too large. */
  #begin(reply: CheckReply, bytes: number, startedAt: number): PendingCheck | null {
    const { admission, deadlines, deadlineMs, now } = this.#parts;
    if (!admission.take(bytes)) {
      this.#countShed(CLOSED.too_many);
      reply.unavailable('unavailable', CLOSED.too_many.words, null);
      return null;
    }
    const check = new PendingCheck(reply, this, startedAt, startedAt + deadlineMs, bytes, now);
    deadlines.add(check);
    return check;
  }

  #shed(response: ServerResponse, closed: Closed, body: string): void {
    this.#countShed(closed);
    this.#shedResponder.answer(response, body, this.#parts.admission.pressed);
  }

  #countShed({ reason, words }: Closed): void {
    const { metrics, refusals } = this.#parts;
    metrics.answered(503);
    metrics.shed(reason);
    refusals.refused(503, words, () => null);
  }

  /** The edge reads evaluations; while load is shed it need not read them. */
  #shedsEvaluation(request: IncomingMessage, response: ServerResponse): boolean {
    if (!request.url!.startsWith(EVALUATION) || request.method !== 'POST') return false;
    if (this.#parts.admission.enter() >= 0) return false;
    this.#shed(response, CLOSED.event_loop, CLOSED.event_loop.evaluationBody);
    return true;
  }

  /** Reports whether a check is owed to the account of a known key, whatever the load. */
  #owed({ apiKey }: CheckHeaders, now: number): boolean {
    const { known, admission } = this.#parts;
    const key = apiKey === null ? undefined : known.key(apiKey);
    return key !== undefined && admission.owed(key.accountId, now);
  }

  /** Takes the slot of the check's account, or ends the check. */
  #takesSlot(check: PendingCheck, { accountId }: KnownKey): boolean {
    const { admission, metrics } = this.#parts;
    if (admission.takeSlot(accountId, check.reservedBytes)) {
      check.accountId = accountId;
      return true;
    }
    metrics.shed(CLOSED.account_share.reason);
    check.unavailable('unavailable', CLOSED.account_share.words);
    return false;
  }

  #admit(check: PendingCheck, request: IncomingMessage, headers: CheckHeaders): void {
    const { known, credentials } = this.#parts;
    const text = headers.apiKey;
    const key = text === null ? undefined : known.key(text);
    if (text === null || key !== undefined) this.#read(check, request, headers, key ?? null);
    else {
      credentials.newKey(text, check).then(
        (found) => this.#read(check, request, headers, found),
        (error: unknown) => check.fail(error),
      );
    }
  }

  #read(check: PendingCheck, request: IncomingMessage, headers: CheckHeaders, key: KnownKey | null): void {
    if (check.over) return;
    const { credentials } = this.#parts;
    const problem = key === null ? credentials.unknown(headers.apiKey, request.rawHeaders) : credentials.problem(key);
    if (key === null || problem !== null) return check.refuse(401, problem ?? '', ['www-authenticate', 'Bearer']);
    if (!this.#takesSlot(check, key)) return;
    if (!headers.host && request.httpVersionMinor === 1) return check.refuse(400, 'send a Host header');
    if (headers.mediaProblem !== null) return check.refuse(415, headers.mediaProblem);
    const room = (held: number): boolean => held <= check.reservedBytes || this.#setAside(check, held);
    check.reading = true;
    readBody(request, headers.contentLength, room, (body) => {
      check.reading = false;
      try {
        this.#judge(check, request, headers, key, body);
      } catch (error) {
        check.fail(error);
      }
    });
  }

  #setAside(check: PendingCheck, bytes: number): boolean {
    const { accountId } = check;
    if (check.over || accountId === null) return false;
    if (!this.#parts.admission.takeMoreOf(accountId, bytes - check.reservedBytes)) return false;
    check.reservedBytes = bytes;
    return true;
  }

  #judge(
    check: PendingCheck,
    { method, url, rawHeaders }: IncomingMessage,
    headers: CheckHeaders,
    key: KnownKey,
    body: BodyRead,
  ): void {
    if (check.over) return;
    if (body === 'cut') return check.abandon();
    if (body === 'no room') {
      this.#parts.metrics.shed(CLOSED.too_many.reason);
      return check.unavailable('unavailable', CLOSED.too_many.words);
    }
    if (body === 'too large') return check.refuse(413, 'send a body of at most 1 MiB');
    const sent = prepareCheck(body);
    if (isMalformed(sent)) return check.refuse(sent.status, sent.error);
    const isToolProtocol = checkPathOf(url!) === TOOL_PROTOCOL;
    const prepared = isToolProtocol ? withoutAttempt(sent) : sent;
    const { idempotencyKey } = headers;
    const problem = idempotencyKey === null ? null : idempotencyKeyProblem(idempotencyKey);
    if (problem !== null) return check.refuse(400, problem);
    if (isToolProtocol) headers.trace = traceOfMeta(sent.action) ?? headers.trace;
    const origin = readOrigin(headers, prepared.action);
    if (typeof origin === 'string') return check.refuse(400, origin);
    const stamp =
      idempotencyKey === null
        ? null
        : idempotencyStamp(key.accountId, idempotencyKey, stampedBody(prepared.request, headers));
    const { approvalId, subjectToken } = headers;
    const named: Pick<CheckJob, 'approvalId' | 'signature'> = approvalId === null ? {} : { approvalId };
    if (headers.isSigned) {
      const read = (): ReturnType<typeof readSignature> =>
        readSignature({ method: method!, url: url!, rawHeaders, body });
      Object.assign(named, { signature: new CheckSignature(read) });
    }
    if (subjectToken === null) {
      this.#parts.judge.judge(check, { key, prepared, stamp, origin, ...named });
      return;
    }
    if (headers.principal !== null) return check.refuse(400, TWO_PRINCIPALS);
    const token = subjectTokenOf(subjectToken, key, prepared, idempotencyKey, headers, origin);
    this.#parts.judge.judge(check, { key, prepared, stamp, origin, token, ...named });
  }
}

/** The path of a route of checks; `null`: another one. */
function checkPathOf(url: string): (typeof PATHS)[number] | null {
  if (url.charCodeAt(0) !== SLASH) return pathOfAbsoluteUrl(url);
  for (const path of PATHS) {
    if (url === path || (url.startsWith(path) && url.charCodeAt(path.length) === QUESTION_MARK)) return path;
  }
  return null;
}

/** As {@link checkPathOf}, of the absolute form of a request target (RFC 9112 section 3.2.2). */
function pathOfAbsoluteUrl(url: string): (typeof PATHS)[number] | null {
  const path = /^https?:\/\/[^/?#]*(\/[^?#]*)/i.exec(url)?.[1];
  return PATHS.find((one) => one === path) ?? null;
}

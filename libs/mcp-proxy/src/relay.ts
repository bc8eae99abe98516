import { randomUUID } from 'node:crypto';
import type { CheckResult } from '@countersign/client';
import { taskIdOf } from './answers.js';
import { ApprovalPrompts } from './approval-prompts.js';
import { BatchAnswer } from './batch-answer.js';
import { InFlight, type Waiting } from './in-flight.js';
import {
  errorText,
  INVALID_PARAMS,
  INVALID_REQUEST,
  idOf,
  isObject,
  readMessage,
  resultText,
  SERVER_ERROR,
  type Id,
  type Message,
  type Notification,
  type Refused,
  type Request,
  type Response,
} from './message.js';
import { approvalQuestion, notAsked, notCalled, unanswered } from './refusals.js';
import { scanOf, textOf } from './scan-of.js';
import { ServerMessages } from './server-messages.js';
import type { RelayOptions } from './relay-options.js';
import { readToolCall, type ToolCall } from './tool-call.js';

/** Last protocol version with batches; all earlier ones have them as well. */
const LAST_WITH_BATCHES = '2025-03-26';
const CANCELLED_MS = 10_000;
const APPROVAL_MS = 300_000;

/**
 * Forwards messages between a client and a server of the tool protocol. A `tools/call` is forwarded once it is allowed, its result
 * once it is scanned; off-limits tools are not listed. Other messages of the client pass unchanged, those of the server once
 * they are scanned.
 */
export class Relay {
  /** Pending requests of the client. */
  readonly waiting = new InFlight();
  /** Calls that are being checked, and answers to the server that are being scanned. */
  readonly #judging = new Set<Promise<void>>();
  readonly #server: ServerMessages;
  readonly #prompts: ApprovalPrompts;
  #gone: string | null = null;

  constructor(private readonly options: RelayOptions) {
    this.#prompts = new ApprovalPrompts(options.ends.toClient);
    this.#server = new ServerMessages(options, this.waiting, {
      answered: (waiting, outcome, detail) => this.#report(waiting, outcome, detail),
      lost: (waiting, why) => this.#lose(waiting, why),
    });
  }

  fromClient(line: string): void {
    const { toClient } = this.options.ends;
    const read = readMessage(line);
    if (read.kind !== 'batch') return this.#take(read, (text) => text !== null && toClient(text));
    const { version } = this.#server;
    if (version !== null && version > LAST_WITH_BATCHES) {
      return toClient(errorText(null, INVALID_REQUEST, `protocol version ${version} has no batches`));
    }
    const batch = new BatchAnswer(read.parts, toClient);
    for (const part of read.parts) this.#take(part, batch.slotOf(part));
  }

  fromServer(line: string): void {
    this.#server.take(line);
  }

  /** Reports that a request could not be sent, or its answer cannot arrive. */
  failed(id: Id, why: string): void {
    const waiting = this.waiting.get(id);
    if (waiting?.sent === true) this.#lose(waiting, why);
  }

  /** Reports that the server has ended: pending requests get an error. Resolves once all received messages have been forwarded. */
  async serverGone(why: string): Promise<void> {
    this.#gone = why;
    for (const waiting of this.waiting.takeAll()) {
      if (waiting.sent) this.#lose(waiting, why);
      else waiting.judging?.abort();
    }
    await Promise.all([...this.#judging, this.#server.passed()]);
  }

  #take(part: Message | Refused, answer: Waiting['answer']): void {
    if (part.kind === 'refused') return answer(errorText(part.id, part.code, `not passed on: ${part.why}`));
    if (part.kind === 'response') return this.#prompts.takes(part) ? undefined : this.#reply(part);
    if (part.kind === 'notification') return this.#notify(part);
    const { id, method } = part;
    if (this.#gone !== null) return answer(errorText(id, SERVER_ERROR, this.#gone));
    if (this.waiting.get(id) !== undefined) {
      return answer(errorText(id, INVALID_REQUEST, 'not passed on: a request with this id waits for its answer'));
    }
    if (method === 'tools/call') return this.#call(part, answer);
    if (method === 'initialize') this.#prompts.opened(part.params);
    const taskId = method === 'tasks/result' ? taskIdOf(part.params) : undefined;
    const waiting = this.waiting.add(part, { answer, ...(taskId === undefined ? {} : { taskId }) });
    if (waiting === null) return;
    waiting.sent = true;
    this.options.ends.toServer(part);
  }

  #call(request: Request, answer: Waiting['answer']): void {
    const call = readToolCall(request);
    if (typeof call === 'string') return answer(errorText(request.id, INVALID_PARAMS, `not passed on: ${call}`));
    const meant = this.#server.tools.meantBy(call.name);
    if (meant !== null) {
      return answer(errorText(request.id, INVALID_PARAMS, `not passed on: there is no such tool; "${meant}" is one`));
    }
    const judging = new AbortController();
    const waiting = this.waiting.add(request, { answer, call, judging });
    if (waiting === null) return;
    this.#afterwards(this.#judge(request, call, waiting, judging.signal));
  }

  #afterwards(work: Promise<void>): void {
    const ended = work.finally(() => this.#judging.delete(ended));
    this.#judging.add(ended);
  }

  /** Handles an answer to the server: text that a model wrote in it is scanned. */
  #reply(answer: Response): void {
    if (answer.id !== null && this.#server.isForNoModel(answer.id)) return this.options.ends.toServer(answer);
    return this.#afterwards(this.#replyScanned(answer));
  }

  async #replyScanned(answer: Response): Promise<void> {
    const { guard, ends, note } = this.options;
    const scanned = await scanOf(guard, textOf(answer), 'judged');
    if (scanned.allowed) return ends.toServer(answer);
    note(`an answer to the server was withheld: ${scanned.reason ?? ''}`);
    const refusal = readMessage(errorText(answer.id, SERVER_ERROR, 'the answer is withheld'));
    return refusal.kind === 'response' ? ends.toServer(refusal) : undefined;
  }

  async #judge(request: Request, call: ToolCall, waiting: Waiting, signal: AbortSignal): Promise<void> {
    const { guard, baseUrl, ends } = this.options;
    const extra = await this.#judgeExtra(call);
    const verdict = extra.allowed ? await this.#checked(call, signal).catch(() => null) : extra;
    if (this.#gone !== null || waiting.cancelled) {
      this.waiting.remove(waiting);
      if (verdict?.allowed === true) guard.report(verdict.eventId, 'skipped', 'given up before it was sent');
      return waiting.answer(waiting.cancelled ? null : resultText(request.id, notAsked(call.name, this.#gone ?? '')));
    }
    if (verdict?.allowed !== true) {
      this.waiting.remove(waiting);
      const why = verdict ?? { allowed: false, reason: 'the call was not checked' };
      return waiting.answer(resultText(request.id, notCalled(call.name, why, baseUrl, call.traceparent)));
    }
    waiting.eventId = verdict.eventId;
    waiting.sent = true;
    ends.toServer(request);
  }

  /** The verdict on a call, after its approval where a client can ask its user for one. Rejects with the signal's reason. */
  async #checked(call: ToolCall, signal: AbortSignal): Promise<CheckResult> {
    const { guard, approvalMs: waitForApprovalMs = APPROVAL_MS } = this.options;
    const { name, version } = this.#server;
    const idempotencyKey = randomUUID();
    const verdict = await guard.judge(call, name, signal, { idempotencyKey });
    const { code, approvalUrl } = verdict;
    if (code !== 'approval_pending' || approvalUrl === undefined || !this.#prompts.canAsk(version)) return verdict;
    const prompt = this.#prompts.ask(approvalUrl, approvalQuestion(call.name, verdict));
    const either = new AbortController();
    const cancel = (): void => either.abort(signal.reason);
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel);
    let isRefused = false;
    void prompt.agreed.then((agreed) => {
      isRefused = !agreed;
      if (isRefused) either.abort();
    });
    let isDecided = false;
    try {
      const later = await guard.judge(call, name, either.signal, { idempotencyKey, waitForApprovalMs });
      isDecided = later.code !== 'approval_pending';
      return later;
    } catch (error) {
      signal.throwIfAborted();
      if (isRefused) return verdict;
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
      prompt.close(isDecided);
    }
  }

  /** Scans what the server receives besides the arguments: an unlisted name is text of the model's own. */
  async #judgeExtra({ name, extra }: ToolCall): Promise<CheckResult> {
    const texts = [...(this.#server.tools.has(name) ? [] : [name]), ...(extra === '' ? [] : [extra])];
    return this.options.guard.scan(texts.join('\n'), 'any');
  }

  #notify(notification: Notification): void {
    const { method, params } = notification;
    if (method === 'tools/call' || method === 'tasks/result') {
      return this.options.note(`a ${method} without an id was not passed on: it could not be answered`);
    }
    const waiting = method === 'notifications/cancelled' ? this.#named(params) : undefined;
    if (waiting !== undefined) {
      waiting.cancelled = true;
      if (!waiting.sent) return waiting.judging?.abort();
      // A batch does not wait for it; a late answer passes by itself.
      waiting.answer(null);
      this.#forgetLater(waiting);
    }
    return this.options.ends.toServer(notification);
  }

  #named(params: unknown): Waiting | undefined {
    const id = isObject(params) ? idOf(params['requestId']) : null;
    return id === null ? undefined : this.waiting.get(id);
  }

  /** A server does not answer a cancelled request, but may have carried it out. */
  #forgetLater(waiting: Waiting): void {
    setTimeout(() => {
      this.#report(waiting, 'failed', 'cancelled before it answered; it may have taken effect');
      this.waiting.remove(waiting);
    }, this.options.cancelledMs ?? CANCELLED_MS).unref();
  }

  #report(waiting: Waiting, outcome: 'succeeded' | 'failed', detail?: string): void {
    if (!waiting.reported) this.options.guard.report(waiting.eventId, outcome, detail);
    waiting.reported = true;
  }

  #lose(waiting: Waiting, why: string): void {
    this.waiting.remove(waiting);
    const { id, call, answer, cancelled } = waiting;
    if (call === undefined) return cancelled ? undefined : answer(errorText(id, SERVER_ERROR, why));
    this.#report(waiting, 'failed', `${why}; it may have taken effect`);
    // A cancelled request expects no answer.
    return cancelled ? undefined : answer(resultText(id, unanswered(call.name, why)));
  }
}

import type { CheckResult } from '@countersign/client';
import { answerOf, initializationWithoutText, listedTools, protocolOf, toolsLeft } from './answers.js';
import { CreatedTasks } from './created-tasks.js';
import { exactValue } from './exact-numbers.js';
import type { InFlight, Waiting } from './in-flight.js';
import type { JsonText } from './json-text.js';
import { KnownTools } from './known-tools.js';
import {
  errorText,
  PARSE_ERROR,
  readMessage,
  resultText,
  SERVER_ERROR,
  type Id,
  type JsonObject,
  type Message,
  type Refused,
  type Response,
} from './message.js';
import { withheld, withheldMessage } from './refusals.js';
import type { RelayOptions } from './relay-options.js';
import { SCHEMA_BOUNDS, textOfMessage } from './result-texts.js';
import { ServerInitiated } from './server-initiated.js';

/** Callbacks for the end of a client's request. */
export interface RequestEnds {
  readonly answered: (waiting: Waiting, outcome: 'succeeded' | 'failed', detail?: string) => void;
  /** There is no answer to forward. */
  readonly lost: (waiting: Waiting, why: string) => void;
}

const MOST_SHOWN = 200;
/** Methods whose answers a model asked for: length rules apply to them. */
const OUTPUTS: ReadonlySet<string> = new Set(['tools/call', 'tasks/result', 'resources/read', 'prompts/get']);

/** Scans and forwards the messages of a server. */
export class ServerMessages {
  /** Protocol version of the answer to `initialize`. */
  version: string | null = null;
  /** The server's name for itself. */
  name: string | null = null;
  readonly tools = new KnownTools();
  readonly #tasks = new CreatedTasks();
  readonly #initiated: ServerInitiated;
  /** Received answers that have not been forwarded yet. */
  readonly #working = new Set<Promise<void>>();

  constructor(
    private readonly options: RelayOptions,
    private readonly waiting: InFlight,
    private readonly requests: RequestEnds,
  ) {
    this.#initiated = new ServerInitiated(options);
  }

  take(line: string): void {
    const read = readMessage(line);
    if (read.kind === 'refused' && read.code === PARSE_ERROR) {
      return this.options.note(`the server wrote what is no message: ${line.slice(0, MOST_SHOWN)}`);
    }
    for (const part of read.kind === 'batch' ? read.parts : [read]) this.#pass(part);
  }

  /** See {@link ServerInitiated.isForNoModel}. */
  isForNoModel(answer: Id): boolean {
    return this.#initiated.isForNoModel(answer);
  }

  /** Resolves once all received messages have been forwarded or withheld. */
  async passed(): Promise<void> {
    await Promise.all([...this.#working, this.#initiated.passed]);
  }

  #pass(part: Message | Refused): void {
    const { note } = this.options;
    if (part.kind === 'refused') {
      note(`a message of the server was not passed on: ${part.why}`);
      const waiting = this.#sent(part.answers ?? null);
      // The pending request has no other answer to wait for.
      return waiting && this.requests.lost(waiting, `the server's answer is none: ${part.why}`);
    }
    if (part.kind !== 'response' || part.id === null) return this.#initiated.take(part);
    const waiting = this.#sent(part.id);
    if (waiting === undefined) {
      return note('an answer of the server was not passed on: nothing that was sent has its id');
    }
    this.waiting.remove(waiting);
    const passed = this.#answer(part, waiting).finally(() => this.#working.delete(passed));
    this.#working.add(passed);
  }

  #sent(id: Response['id']): Waiting | undefined {
    const waiting = id === null ? undefined : this.waiting.get(id);
    return waiting?.sent === true ? waiting : undefined;
  }

  async #answer(response: Response, waiting: Waiting): Promise<void> {
    // Earlier messages of the server are forwarded first.
    const before = this.#initiated.passed;
    const text = await this.#textFor(response, waiting).catch(() => {
      this.requests.answered(waiting, 'failed', 'its answer cannot be read; it may have taken effect');
      return errorText(waiting.id, SERVER_ERROR, 'not passed on: the answer cannot be read');
    });
    await before;
    waiting.answer(text);
  }

  /** The text for the client. A failure here is caused by the answer, which is not forwarded then. */
  async #textFor(response: Response, waiting: Waiting): Promise<string> {
    switch (waiting.method) {
      case 'tools/call':
      case 'tasks/result':
        return this.#result(response, waiting);
      case 'tools/list':
        return this.#tools(response);
      case 'initialize':
        return this.#initialization(response);
      default:
        return this.#scanned(response, waiting.method);
    }
  }

  async #result(response: Response, waiting: Waiting): Promise<string> {
    const { guard, baseUrl } = this.options;
    const { id, call } = waiting;
    const { createdTask, failed } = answerOf(response.value, call);
    const scanned = await guard.scan(textOf(response), 'judged');
    const earlier = this.#tasks.take(waiting.taskId);
    waiting.eventId ??= earlier?.eventId;
    const name = call?.name ?? earlier?.name;
    if (createdTask !== null && name !== undefined) {
      this.#tasks.remember(createdTask, { name, eventId: waiting.eventId });
    } else {
      const seen = scanned.allowed ? undefined : `its result was withheld: ${scanned.violationType ?? 'not scanned'}`;
      this.requests.answered(waiting, failed ? 'failed' : 'succeeded', seen);
    }
    return scanned.allowed ? response.text : resultText(id, withheld(name, scanned, baseUrl));
  }

  /** The answer, or an error that says why it is withheld. */
  async #scanned(response: Response, method: string): Promise<string> {
    const scanned = await this.options.guard.scan(textOf(response), OUTPUTS.has(method) ? 'judged' : 'any');
    return scanned.allowed ? response.text : this.#withheld(response, method, scanned);
  }

  #withheld({ id }: Response, method: string, why: CheckResult): string {
    return errorText(id, SERVER_ERROR, withheldMessage(`the server's answer to ${method}`, why, this.options.baseUrl));
  }

  /** A client without this answer has no server at all: the version and all members that are not text always pass. */
  async #initialization(response: Response): Promise<string> {
    const { guard, ends, note } = this.options;
    const { version, server } = protocolOf(response.value);
    this.version = version;
    this.name = server;
    if (version !== null) ends.opened?.(version);
    if (!Object.hasOwn(response.value, 'result')) return this.#scanned(response, 'initialize');
    const scanned = await guard.scan(textOf(response), 'any');
    if (scanned.allowed) return response.text;
    note(`what the server says of itself is withheld: ${scanned.reason ?? ''}`);
    return initializationWithoutText(response.value);
  }

  /** The answer without tools that are off limits, cannot be called, or have a refused text. */
  async #tools(response: Response): Promise<string> {
    const { guard, listed, note } = this.options;
    const names = listedTools(response.value);
    listed?.(response.value['result']);
    this.tools.add(names);
    const hidden = names.length === 0 ? new Set<string>() : await guard.offLimits(names);
    const left = toolsLeft(response, ({ name }) => !hidden.has(name));
    const scanned = await guard.scan(textOf(left, SCHEMA_BOUNDS), 'any');
    if (scanned.allowed) return left.text;
    // Without a violation the scan itself failed.
    if (scanned.violationType === undefined) return this.#withheld(left, 'tools/list', scanned);
    const shown = new Set<JsonObject>();
    const judge = async (tool: JsonObject): Promise<void> => {
      const judged = await guard.scan(textOf(jsonText({ params: tool }), SCHEMA_BOUNDS), 'any');
      if (judged.allowed) shown.add(tool);
      else note(`the tool ${JSON.stringify(tool['name'])} is not listed: ${judged.reason ?? ''}`);
    };
    const work: Promise<void>[] = [];
    toolsLeft(left, (tool) => work.push(judge(tool)) > 0);
    await Promise.all(work);
    const rest = toolsLeft(left, (tool) => shown.has(tool));
    const again = await guard.scan(textOf(rest, SCHEMA_BOUNDS), 'any');
    return again.allowed ? rest.text : this.#withheld(rest, 'tools/list', again);
  }
}

function textOf(message: JsonText, unread?: ReadonlySet<string>): string {
  return textOfMessage(exactValue(message) as JsonObject, unread);
}

function jsonText(value: JsonObject): JsonText {
  return { value, text: JSON.stringify(value) };
}

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
import { withheld, withheldWords } from './refusals.js';
import type { RelayOptions } from './relay-options.js';
import { SCHEMA_BOUNDS, textOfMessage } from './result-texts.js';
import { Unasked } from './unasked.js';

/** What becomes of requests of the client. */
export interface RequestEnds {
  readonly answered: (waiting: Waiting, outcome: 'succeeded' | 'failed', detail?: string) => void;
  /** No answer that can be shown will come. */
  readonly lost: (waiting: Waiting, why: string) => void;
}

const MOST_SHOWN = 200;
/** Their answers are what a model asked for: rules of length hold for them as well. */
const OUTPUTS: ReadonlySet<string> = new Set(['tools/call', 'tasks/result', 'resources/read', 'prompts/get']);

/** Lets through what a server says, once it is scanned. */
export class ServerMessages {
  /** Of the protocol, as the answer to `initialize` has it. */
  version: string | null = null;
  /** What the server calls itself. */
  name: string | null = null;
  readonly tools = new KnownTools();
  readonly #tasks = new CreatedTasks();
  readonly #unasked: Unasked;
  /** Answers that came and have not passed yet. */
  readonly #working = new Set<Promise<void>>();

  constructor(
    private readonly options: RelayOptions,
    private readonly waiting: InFlight,
    private readonly requests: RequestEnds,
  ) {
    this.#unasked = new Unasked(options);
  }

  take(line: string): void {
    const read = readMessage(line);
    if (read.kind === 'refused' && read.code === PARSE_ERROR) {
      return this.options.note(`the server wrote what is no message: ${line.slice(0, MOST_SHOWN)}`);
    }
    for (const part of read.kind === 'batch' ? read.parts : [read]) this.#pass(part);
  }

  /** As {@link Unasked.isForNoModel}. */
  isForNoModel(answer: Id): boolean {
    return this.#unasked.isForNoModel(answer);
  }

  /** Resolves once all that came has passed, or was withheld. */
  async passed(): Promise<void> {
    await Promise.all([...this.#working, this.#unasked.passed]);
  }

  #pass(part: Message | Refused): void {
    const { note } = this.options;
    if (part.kind === 'refused') {
      note(`a message of the server was not passed on: ${part.why}`);
      const waiting = this.#sent(part.answers ?? null);
      // Whoever waits for it waits for nothing else.
      return waiting && this.requests.lost(waiting, `the server's answer is none: ${part.why}`);
    }
    if (part.kind !== 'response' || part.id === null) return this.#unasked.take(part);
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
    // What the server said before is heard before.
    const before = this.#unasked.passed;
    const text = await this.#textFor(response, waiting).catch(() => {
      this.requests.answered(waiting, 'failed', 'its answer cannot be read; it may have taken effect');
      return errorText(waiting.id, SERVER_ERROR, 'not passed on: the answer cannot be read');
    });
    await before;
    waiting.answer(text);
  }

  /** What the client gets. What fails here has to do with what came: it does not pass. */
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

  /** The answer, or an error that says why it is not to be seen. */
  async #scanned(response: Response, method: string): Promise<string> {
    const scanned = await this.options.guard.scan(textOf(response), OUTPUTS.has(method) ? 'judged' : 'any');
    return scanned.allowed ? response.text : this.#withheld(response, method, scanned);
  }

  #withheld({ id }: Response, method: string, why: CheckResult): string {
    return errorText(id, SERVER_ERROR, withheldWords(`the server's answer to ${method}`, why, this.options.baseUrl));
  }

  /** A client that gets none has no server at all: what is not text, and the version, pass in any case. */
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

  /** Without tools that are off limits, that nobody can call, and whose own text is not to be seen. */
  async #tools(response: Response): Promise<string> {
    const { guard, note } = this.options;
    const names = listedTools(response.value);
    this.tools.add(names);
    const hidden = names.length === 0 ? new Set<string>() : await guard.offLimits(names);
    const left = toolsLeft(response, ({ name }) => !hidden.has(name));
    const scanned = await guard.scan(textOf(left, SCHEMA_BOUNDS), 'any');
    if (scanned.allowed) return left.text;
    // Without a finding nothing was judged.
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

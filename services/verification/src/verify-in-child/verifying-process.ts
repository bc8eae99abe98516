import { fork, type ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ChainFacts, NamedTransaction, VerificationKey } from '@countersign/evidence';
import { HttpRefusal } from '@countersign/http-edge';
import type { RawBody } from '@countersign/http-edge';
import type { Order, Reply } from './messages.js';

/** Provided by the service while the process verifies a body. */
export interface Surroundings {
  /** @throws HttpRefusal 400 where the named members do not have the form that the route requires */
  checkOutline(outline: unknown): void;
  keys(): Promise<readonly VerificationKey[]>;
  askChain(named: readonly NamedTransaction[]): Promise<ChainFacts>;
}

export interface ProcessLimits {
  /** Of the JavaScript heap, MiB: beyond it the process dies and the body is refused. */
  readonly heapMiB: number;
  /** A body that needs more, MiB, by `memoryNeeded`, is refused before it is parsed. */
  readonly needMiB: number;
  /** Time of the process for one body, ms; waiting for the service or the chain does not count. */
  readonly deadlineMs: number;
}

const CHILD = fileURLToPath(new URL('./verifying-child.js', import.meta.url));
const ELSEWHERE = 'npx countersign verify FILE verifies it on your machine';

const TOO_MUCH_MEMORY = `this takes more memory to read than this service gives to one request; ${ELSEWHERE}`;
const STOPPING = 'the service is stopping; try again';
const TOO_LONG = `this takes longer to verify than this service gives to one request; ${ELSEWHERE}`;

type Ending = 'memory' | 'deadline' | 'stopped';
type Step = Reply | { readonly kind: 'ended'; readonly by: Ending };

/** A child process that verifies one body at a time. If it ends, this process continues. */
export class VerifyingProcess {
  readonly #child: ChildProcess;
  readonly #limits: ProcessLimits;
  readonly #replies: Step[] = [];
  #wake: () => void = () => undefined;
  #answer: Buffer[] = [];
  #received = 0;
  #ending: Ending | null = null;

  constructor(limits: ProcessLimits) {
    this.#limits = limits;
    this.#child = fork(CHILD, [String(limits.needMiB * 1024 * 1024)], {
      serialization: 'advanced',
      stdio: ['pipe', 'pipe', 'ignore', 'ipc'],
      execArgv: [`--max-old-space-size=${limits.heapMiB}`],
      env: {},
      cwd: '/',
    });
    this.#child.on('message', (reply) => this.#take(reply as Reply));
    const ended = (): void => this.#take({ kind: 'ended', by: (this.#ending ??= 'memory') });
    this.#child.once('exit', ended).once('error', ended);
    this.#child.stdin!.on('error', () => undefined);
    this.#child.stdout!.on('data', (chunk: Buffer) => {
      this.#answer.push(chunk);
      this.#received += chunk.length;
      this.#wake();
    });
  }

  /** Ended, by a body or by `end`: it verifies nothing more. */
  get dead(): boolean {
    return this.#ending !== null;
  }

  /** The body that it is verifying gets 503. */
  end(by: 'deadline' | 'stopped' = 'stopped'): void {
    this.#ending ??= by;
    this.#child.kill('SIGKILL');
  }

  /**
   * Verifies one body.
   * @returns the answer of the route as JSON in UTF-8
   * @throws HttpRefusal 400 for a body that is not the JSON that the route requires, 413 for one that takes too much memory, 503
   *   for one that takes too long
   */
  async verify(body: RawBody, surroundings: Surroundings): Promise<Uint8Array> {
    const clock = { left: this.#limits.deadlineMs };
    try {
      const read = await this.#step(clock, 'read', () => this.#send(body));
      surroundings.checkOutline(read.outline);
      const keys = await surroundings.keys();
      const { asks } = await this.#step(clock, 'opened', () => this.#order({ kind: 'open', keys }));
      const chain = asks === null ? null : await surroundings.askChain(asks);
      const { bytes } = await this.#step(clock, 'answer', () => this.#order({ kind: 'finish', chain }));
      return await this.#collect(bytes);
    } catch (error) {
      this.#order({ kind: 'drop' });
      throw error;
    }
  }

  /** Sends the process an order and waits for its reply, within the rest of its deadline. */
  async #step<K extends Reply['kind']>(
    clock: { left: number },
    wanted: K,
    give: () => Promise<void> | void,
  ): Promise<Extract<Reply, { kind: K }>> {
    const begun = performance.now();
    const timer = setTimeout(() => this.end('deadline'), clock.left);
    try {
      const replied = this.#next();
      await Promise.race([give(), replied]);
      const reply = await replied;
      if (reply.kind === wanted) return reply as Extract<Reply, { kind: K }>;
      throw refusalOf(reply);
    } finally {
      clearTimeout(timer);
      clock.left -= performance.now() - begun;
    }
  }

  async #send(body: RawBody): Promise<void> {
    this.#order({ kind: 'read', bytes: body.byteLength });
    const input = this.#child.stdin!;
    for (const segment of body.segments) {
      if (this.dead) return;
      if (!input.write(segment)) await flowing(input);
    }
  }

  async #collect(bytes: number): Promise<Uint8Array> {
    while (this.#received < bytes) {
      if (this.dead) throw refusalOf({ kind: 'ended', by: this.#ending! });
      await this.#woken();
    }
    const answer = Buffer.concat(this.#answer, bytes);
    this.#answer = [];
    this.#received = 0;
    return answer;
  }

  #order(order: Order): void {
    if (!this.dead) this.#child.send(order, () => undefined);
  }

  #take(reply: Step): void {
    this.#replies.push(reply);
    this.#wake();
  }

  async #next(): Promise<Step> {
    while (this.#replies.length === 0) await this.#woken();
    return this.#replies.shift()!;
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }
}

/** Resolves when more can be written, or the stream has closed. */
function flowing(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      stream.off('drain', settle).off('close', settle);
      resolve();
    };
    stream.on('drain', settle).on('close', settle);
  });
}

function refusalOf(reply: Step): Error {
  switch (reply.kind) {
    case 'unreadable':
      return new HttpRefusal(400, reply.why);
    case 'too-much-memory':
      return new HttpRefusal(413, TOO_MUCH_MEMORY);
    case 'ended':
      if (reply.by === 'memory') return new HttpRefusal(413, TOO_MUCH_MEMORY);
      return new HttpRefusal(503, reply.by === 'deadline' ? TOO_LONG : STOPPING, { 'retry-after': '60' });
    default:
      return new Error(`the verifying process sent ${reply.kind} out of order`);
  }
}

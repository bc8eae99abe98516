import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { HttpRefusal } from '@countersign/http-edge';

export interface ChildLimits {
  /** Limit of the child process's JavaScript heap, MiB. */
  readonly heapMiB: number;
  /** Time limit for one input, ms. */
  readonly deadlineMs: number;
  /** Maximum number of queued inputs. */
  readonly waiting: number;
  /** Maximum number of inputs of one account, queued or under way: another account's exports find room as well. */
  readonly ofAccount: number;
  /** Longest time of an input in the queue, ms. */
  readonly queuedMs: number;
}

/**
 * A package has at most 60 MiB. An export waits for two lanes at most, for each up to `queuedMs` and `deadlineMs`: with what else it
 * waits for that is less than the edge waits for its answer (`deploy/edge`, 600 s).
 */
const LIMITS: ChildLimits = { heapMiB: 1024, deadlineMs: 180_000, waiting: 8, ofAccount: 5, queuedMs: 60_000 };

/** A child process that ended without an answer. */
export class ChildFailed extends Error {
  override readonly name = 'ChildFailed';
  /** The signal that ended it, or its exit code. */
  readonly how: string;
  /** The beginning of what it wrote to standard error. */
  readonly complaint: string;

  constructor(how: string, complaint: string) {
    super(`ended by ${how}: ${complaint}`);
    this.how = how;
    this.complaint = complaint;
  }
}

/**
 * Runs a program in child processes, one input after another: requests are answered meanwhile, and an input that takes too
 * much memory ends only its own process. A program reads its input from standard input, writes its answer to standard output,
 * and exits with 0.
 */
export class ChildLane {
  readonly #program: string;
  readonly #busy: string;
  readonly #limits: ChildLimits;
  #waiting = 0;
  readonly #ofAccount = new Map<string, number>();
  #queue: Promise<unknown> = Promise.resolve();
  #child: ChildProcess | null = null;
  #ended = false;

  /** @param busy the refusal while the queue is full, for the caller of the export */
  constructor(program: string, busy: string, limits: Partial<ChildLimits>) {
    this.#program = program;
    this.#busy = busy;
    this.#limits = { ...LIMITS, ...limits };
  }

  /** @throws HttpRefusal 503 if the queue is full, or the account's share of it */
  requireRoom(accountId: string): void {
    const own = this.#ofAccount.get(accountId) ?? 0;
    if (this.#waiting > this.#limits.waiting || own >= this.#limits.ofAccount) throw this.#refusal();
  }

  /**
   * Runs the program once.
   * @param accountId whose input it is
   * @param pieces its input
   * @returns its answer
   * @throws HttpRefusal 503 if the queue is full, or too slow, or the service stops
   * @throws ChildFailed if it exits with another code, or exceeds a limit
   */
  async run(accountId: string, pieces: Iterable<Uint8Array>): Promise<Buffer> {
    this.requireRoom(accountId);
    this.#waiting += 1;
    this.#ofAccount.set(accountId, (this.#ofAccount.get(accountId) ?? 0) + 1);
    let late = false;
    let timer: NodeJS.Timeout | undefined;
    const queuedTooLong = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        late = true;
        reject(this.#refusal());
      }, this.#limits.queuedMs);
    });
    const mine = this.#queue.then(() => {
      if (late) throw this.#refusal();
      clearTimeout(timer);
      return this.#runNow(pieces);
    });
    this.#queue = mine.catch(() => undefined);
    try {
      return await Promise.race([mine, queuedTooLong]);
    } finally {
      clearTimeout(timer);
      this.#waiting -= 1;
      const left = this.#ofAccount.get(accountId)! - 1;
      if (left > 0) this.#ofAccount.set(accountId, left);
      else this.#ofAccount.delete(accountId);
    }
  }

  /** Ends the current process: its input, and all queued ones, are refused with 503. */
  end(): void {
    this.#ended = true;
    this.#child?.kill('SIGKILL');
  }

  #refusal(): HttpRefusal {
    return new HttpRefusal(503, this.#busy, { 'retry-after': '30' });
  }

  async #runNow(pieces: Iterable<Uint8Array>): Promise<Buffer> {
    if (this.#ended) throw new HttpRefusal(503, 'the service is stopping; try again');
    const child = spawn(process.execPath, [`--max-old-space-size=${this.#limits.heapMiB}`, this.#program], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {},
      cwd: '/',
    });
    this.#child = child;
    const timer = setTimeout(() => child.kill('SIGKILL'), this.#limits.deadlineMs);
    const parts: Buffer[] = [];
    let complaint = '';
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.stderr.on('data', (part: Buffer) => (complaint = (complaint + part.toString()).slice(0, 2000)));
    // The input of a process that ended early is closed: its exit is the better error.
    child.stdin.on('error', () => undefined);
    const closed = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    try {
      for (const piece of pieces) {
        if (!child.stdin.write(piece)) await Promise.race([once(child.stdin, 'drain'), closed]);
      }
      child.stdin.end();
      const [code, signal] = await closed;
      if (code === 0) return Buffer.concat(parts);
      if (this.#ended) throw new HttpRefusal(503, 'the service is stopping; try again');
      throw new ChildFailed(`${signal ?? code}`, complaint);
    } finally {
      clearTimeout(timer);
      this.#child = null;
    }
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { HttpRefusal } from '@countersign/http-edge';

export interface RenderingLimits {
  /** Limit of the child process's JavaScript heap, MiB. */
  readonly heapMiB: number;
  /** Time limit for one document, ms. */
  readonly deadlineMs: number;
  /** Maximum number of queued documents. */
  readonly waiting: number;
}

/** A package has at most 60 MiB. */
const LIMITS: RenderingLimits = { heapMiB: 1024, deadlineMs: 180_000, waiting: 8 };
const CHILD = fileURLToPath(new URL('./rendering-child.js', import.meta.url));
const BUSY = 'too many PDFs are being drawn: try again, or export json';

/**
 * Renders PDFs in child processes, one after another: requests are answered meanwhile, and a
 * document that takes too much memory ends only its own process.
 */
export class PdfRenderer {
  readonly #limits: RenderingLimits;
  #waiting = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #child: ChildProcess | null = null;
  #ended = false;

  constructor(limits: Partial<RenderingLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** @throws HttpRefusal 503 if the queue is full */
  requireRoom(): void {
    if (this.#waiting > this.#limits.waiting) throw new HttpRefusal(503, BUSY, { 'retry-after': '30' });
  }

  /**
   * Renders the package as PDF/A-3a.
   * @param pieces the package as stored
   * @throws HttpRefusal 503 if the queue is full, or the service stops
   * @throws Error if the document cannot be rendered within its limits
   */
  async draw(pieces: Iterable<Uint8Array>): Promise<Buffer> {
    this.requireRoom();
    this.#waiting += 1;
    const mine = this.#queue.then(() => this.#drawNow(pieces));
    this.#queue = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Ends the current rendering, which is answered with 503. */
  end(): void {
    this.#ended = true;
    this.#child?.kill('SIGKILL');
  }

  async #drawNow(pieces: Iterable<Uint8Array>): Promise<Buffer> {
    if (this.#ended) throw new HttpRefusal(503, 'the service is stopping; try again');
    const child = spawn(process.execPath, [`--max-old-space-size=${this.#limits.heapMiB}`, CHILD], {
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
      throw new Error(`the PDF could not be drawn (${signal ?? code}): ${complaint}`);
    } finally {
      clearTimeout(timer);
      this.#child = null;
    }
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { HttpRefusal } from '@countersign/http-edge';

export interface RenderingLimits {
  /** Of the drawing process's JavaScript heap, MiB. */
  readonly heapMiB: number;
  /** Work on one document, ms. */
  readonly deadlineMs: number;
  /** Documents that wait for their turn. */
  readonly waiting: number;
}

/** A package has at most 60 MiB. */
const LIMITS: RenderingLimits = { heapMiB: 1024, deadlineMs: 180_000, waiting: 8 };
const CHILD = fileURLToPath(new URL('./rendering-child.js', import.meta.url));
const BUSY = 'too many PDFs are being drawn: try again, or export json';

/**
 * Draws PDFs in processes of their own, one after another: nothing of it runs where requests are answered, and a
 * document that takes too much memory ends its own process alone.
 */
export class PdfRenderer {
  readonly #limits: RenderingLimits;
  #waiting = 0;
  #turn: Promise<unknown> = Promise.resolve();
  #child: ChildProcess | null = null;
  #ended = false;

  constructor(limits: Partial<RenderingLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** @throws HttpRefusal 503 where as many wait as may */
  requireRoom(): void {
    if (this.#waiting > this.#limits.waiting) throw new HttpRefusal(503, BUSY, { 'retry-after': '30' });
  }

  /**
   * The package as PDF/A-3a.
   * @param pieces the package as it is stored
   * @throws HttpRefusal 503 where as many wait as may, or the service stops
   * @throws Error where the document cannot be drawn inside its limits
   */
  async draw(pieces: Iterable<Uint8Array>): Promise<Buffer> {
    this.requireRoom();
    this.#waiting += 1;
    const mine = this.#turn.then(() => this.#drawNow(pieces));
    this.#turn = mine.catch(() => undefined);
    try {
      return await mine;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Ends what is being drawn: it is 503. */
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
    // A process that ended early closes its input: its end says more than that.
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

import { fileURLToPath } from 'node:url';
import { ChildFailed, ChildLane, type ChildLimits } from '../child/child-lane.js';

const CHILD = fileURLToPath(new URL('./rendering-child.js', import.meta.url));
const BUSY = 'too many PDFs are being drawn: try again, or export json';

/** Renders PDFs in child processes, one after another. */
export class PdfRenderer {
  readonly #lane: ChildLane;

  constructor(limits: Partial<ChildLimits> = {}) {
    this.#lane = new ChildLane(CHILD, BUSY, limits);
  }

  /** @throws HttpRefusal 503 if the queue is full, or the account's share of it */
  requireRoom(accountId: string): void {
    this.#lane.requireRoom(accountId);
  }

  /**
   * Renders the package as PDF/A-3a.
   * @param accountId whose report it is
   * @param pieces the package as stored
   * @throws HttpRefusal 503 if the queue is full or too slow, or the service stops
   * @throws Error if the document cannot be rendered within its limits
   */
  async draw(accountId: string, pieces: Iterable<Uint8Array>): Promise<Buffer> {
    try {
      return await this.#lane.run(accountId, pieces);
    } catch (error) {
      if (!(error instanceof ChildFailed)) throw error;
      throw new Error(`the PDF could not be drawn (${error.how}): ${error.complaint}`);
    }
  }

  /** Ends the current rendering, which is answered with 503. */
  end(): void {
    this.#lane.end();
  }
}

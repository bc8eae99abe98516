import type { ReportFacts } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { PackageGone, type PackageBodies, type StoredPackage } from '../store/package-bodies.js';
import type { PublicFacts } from '../store/port.js';

/** A package that may be handed to whoever asked for it. */
export interface FoundPackage {
  /** Names its bytes: they are stored under it and never change. */
  readonly sha256: string;
  /**
   * @throws HttpRefusal 404 where it was withdrawn since it was found, Error where its bytes are missing; so does what it
   *   gives before its first chunk
   */
  read(): Promise<StoredPackage>;
}

interface NamedReport {
  readonly id: string;
  readonly facts: ReportFacts;
}

/** Between two looks for why a package is gone, ms. */
const ASK_MS = 50;

/** Signed packages as anybody may fetch them, byte for byte as they were issued. */
export class OpenPackages {
  readonly #facts: Pick<PublicFacts, 'report' | 'reportByPdfSha256'>;
  readonly #bodies: Pick<PackageBodies, 'get'>;
  readonly #toldWithinMs: number;
  /** @param toldWithinMs how long a withdrawal may take to get here */
  constructor(
    facts: Pick<PublicFacts, 'report' | 'reportByPdfSha256'>,
    bodies: Pick<PackageBodies, 'get'>,
    toldWithinMs = 2_000,
  ) {
    this.#facts = facts;
    this.#bodies = bodies;
    this.#toldWithinMs = toldWithinMs;
  }

  /**
   * Of a report that its account made public.
   * @param id in lower case
   * @throws HttpRefusal 404, in the same words for a report that is not public as for none; with the reason for a public
   *   one that was withdrawn
   */
  ofPublicReport(id: string): Promise<FoundPackage> {
    return this.#find(async () => {
      const facts = await this.#facts.report(id);
      return facts?.public === true ? { id, facts } : null;
    }, 'there is no public report with this id');
  }

  /**
   * That a PDF was drawn from, where the report is public; otherwise the facts of the report, for what may be said of it: the
   * hash of a file is published without the file, and openings are the account's own.
   * @throws HttpRefusal 404, with the reason where the report was withdrawn
   */
  async ofPdf(pdfSha256: string): Promise<FoundPackage | ReportFacts> {
    const look = (): Promise<NamedReport | null> => this.#facts.reportByPdfSha256(pdfSha256);
    const report = await look();
    if (report?.facts.public === false && report.facts.withdrawn === null) return report.facts;
    return this.#find(look, 'no PDF of that hash was issued here');
  }

  async #find(look: () => Promise<NamedReport | null>, none: string): Promise<FoundPackage> {
    const report = await look();
    if (report === null) throw new HttpRefusal(404, none);
    const { withdrawn, sha256 } = report.facts;
    if (withdrawn !== null) throw new HttpRefusal(404, `withdrawn: ${withdrawn}`);
    return {
      sha256,
      read: async () => {
        const sayWhyGone = (): Promise<never> => this.#sayWhyGone(report.id, () => this.#find(look, none));
        const body = await this.#bodies.get(sha256);
        if (body === null) return sayWhyGone();
        return { bytes: body.bytes, chunks: unlessGone(body.chunks, sayWhyGone) };
      },
    };
  }

  /** An erasure says first that it withdraws a package, then removes it: what it said may still be on its way. */
  async #sayWhyGone(reportId: string, find: () => Promise<FoundPackage>): Promise<never> {
    const until = performance.now() + this.#toldWithinMs;
    do {
      await find();
      await new Promise((resolve) => setTimeout(resolve, ASK_MS));
    } while (performance.now() < until);
    throw new Error(`the stored package of report ${reportId} is missing`);
  }
}

async function* unlessGone(
  chunks: AsyncIterable<Uint8Array>,
  sayWhyGone: () => Promise<never>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (!(error instanceof PackageGone)) throw error;
    await sayWhyGone();
  }
}

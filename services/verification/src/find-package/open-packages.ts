import type { ReportFacts } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { PackageRemoved, type PackageBodies, type StoredPackage } from '../store/package-bodies.js';
import type { PublicFacts } from '../store/port.js';

/** A package that any client may fetch. */
export interface FoundPackage {
  /** Hash of its bytes, under which they are stored; they never change. */
  readonly sha256: string;
  /**
   * @throws HttpRefusal 404 where it was withdrawn since it was found, Error where its bytes are missing; reading the first
   *   chunk throws the same
   */
  read(): Promise<StoredPackage>;
}

interface NamedReport {
  readonly id: string;
  readonly facts: ReportFacts;
}

/** Between two look-ups of the reason why a package was removed, ms. */
const ASK_MS = 50;

/** Signed packages that any client may fetch, byte for byte as they were issued. */
export class OpenPackages {
  readonly #facts: Pick<PublicFacts, 'report' | 'reportByPdfSha256'>;
  readonly #bodies: Pick<PackageBodies, 'get'>;
  readonly #publishedWithinMs: number;
  /** @param publishedWithinMs time within which a withdrawal is published and read here */
  constructor(
    facts: Pick<PublicFacts, 'report' | 'reportByPdfSha256'>,
    bodies: Pick<PackageBodies, 'get'>,
    publishedWithinMs = 2_000,
  ) {
    this.#facts = facts;
    this.#bodies = bodies;
    this.#publishedWithinMs = publishedWithinMs;
  }

  /**
   * Of a report that its account made public.
   * @param id in lower case
   * @throws HttpRefusal 404, with the same text for a report that is not public as for none; with the reason for a public
   *   one that was withdrawn
   */
  ofPublicReport(id: string): Promise<FoundPackage> {
    return this.#find(async () => {
      const facts = await this.#facts.report(id);
      return facts?.public === true ? { id, facts } : null;
    }, 'there is no public report with this id');
  }

  /**
   * The package that a PDF was drawn from, where the report is public; otherwise the facts of the report. A PDF's hash is
   * public, openings belong to the account.
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
        const sayWhyRemoved = (): Promise<never> => this.#sayWhyRemoved(report.id, () => this.#find(look, none));
        const body = await this.#bodies.get(sha256);
        if (body === null) return sayWhyRemoved();
        return { bytes: body.bytes, chunks: unlessRemoved(body.chunks, sayWhyRemoved) };
      },
    };
  }

  /** An erasure publishes the withdrawal before it removes the package, and the record may not have been read here yet. */
  async #sayWhyRemoved(reportId: string, find: () => Promise<FoundPackage>): Promise<never> {
    const until = performance.now() + this.#publishedWithinMs;
    do {
      await find();
      await new Promise((resolve) => setTimeout(resolve, ASK_MS));
    } while (performance.now() < until);
    throw new Error(`the stored package of report ${reportId} is missing`);
  }
}

async function* unlessRemoved(
  chunks: AsyncIterable<Uint8Array>,
  sayWhyRemoved: () => Promise<never>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } catch (error) {
    if (!(error instanceof PackageRemoved)) throw error;
    await sayWhyRemoved();
  }
}

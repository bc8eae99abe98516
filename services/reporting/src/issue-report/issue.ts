import { createHash, randomUUID } from 'node:crypto';
import type { AnchorAuthority, EventArchive, PackageEvent, ProofSource } from '@countersign/contracts';
import {
  canonicalMembers,
  lengthOf,
  memberOf,
  seriesFacts,
  withPdfSignature,
  type Member,
  type PackageSignature,
  type SeriesFacts,
} from '@countersign/evidence';
import type { NewRecord } from '@countersign/event-log';
import { HttpRefusal } from '@countersign/http-edge';
import type { ActRecorder } from '@countersign/service-kit';
import { pdfBlobName, type BlobStore } from '../blobs/blob-store.js';
import type { ControlMapping } from '../mapping/control-mapping.js';
import type { Recomputer } from '../recompute/recomputer.js';
import type { PdfRenderer } from '../render-pdf/pdf-renderer.js';
import type { Signer } from '../signing-keys/signer.js';
import type { OpenedRun, ReportStore, StoredEntry, StoredReport } from '../store/port.js';
import { reportIssued } from '../trail/acts.js';
import { openedRuns } from '../withdraw/opened-runs.js';
import { auditOf, type Preparer } from './audit.js';
import { buildContent } from './build-content.js';
import { collectReferred, collectReferring, collectRun, TooManyEvents, type AgentRun } from './collect-events.js';
import { fittingRange } from './fitting-range.js';
import type { ExportRequest } from './request.js';
import { sha256Of, signAnchored, type AnchoredSigning } from './sign-anchored.js';
import type { ListedAgent } from './trail.js';

/** A package may not be larger than 60 MiB, since verifiers accept up to 64; the signature's part is small. */
const MAX_CONTENT_BYTES = 60 * 1024 * 1024 - 4096;
/** An event with its proof takes more than 1.2 KiB, so more could never fit. */
export const MAX_EVENTS = 50_000;

/** Dependencies of issuing on the rest of the service. */
export interface Issuer extends AnchoredSigning {
  readonly archive: EventArchive;
  readonly proofs: ProofSource;
  readonly mapping: ControlMapping;
  readonly store: ReportStore;
  readonly blobs: BlobStore;
  readonly generatorVersion: string;
  /** The key that signs reports begun now. */
  signer(): Promise<Signer>;
  authorities(): Promise<readonly AnchorAuthority[]>;
  readonly recomputer: Pick<Recomputer, 'requireRoom' | 'isSmall' | 'statement'>;
  readonly pdf: Pick<PdfRenderer, 'requireRoom' | 'draw'>;
  /**
   * Withdraws a report that was just recorded if content that it opens was erased meanwhile.
   * @throws HttpRefusal 503, also if that cannot be determined: nothing of it stays then
   */
  requireUnerased(report: StoredReport): Promise<void>;
  /** Makes the event of what a person did. */
  readonly recorded: ActRecorder;
  /** The job that the report is made for. */
  readonly job?: IssuingJob;
}

/** Follows the steps of a package; each method throws to end it. */
export interface IssuingJob {
  readonly title: string | null;
  at(step: 'reading' | 'proving' | 'anchoring' | 'drawing'): Promise<void>;
  /** Stores the report and publishes its event, instead of the store. */
  add(report: StoredReport, stored: StoredEntry, events: readonly NewRecord[]): Promise<void>;
}

export interface IssuedReport {
  readonly report: StoredReport;
  /** RFC 8785 bytes of the whole package, as answered and stored. */
  readonly pieces: () => Iterable<Uint8Array>;
  readonly bytes: number;
  /** The PDF, if `format` is `pdf`. */
  readonly pdf: Uint8Array | null;
}

/**
 * Issues a signed package over the agents' events: collects, proves, computes the verdicts again, requests the report's own
 * transaction, waits for it, signs, renders the PDF if requested, stores.
 * @throws HttpRefusal 400 if the package would be too large, with a range that fits; 503 if too many packages or PDFs are queued,
 *   the process that computes verdicts ends, or it cannot be signed
 */
export async function issueReport(
  issuer: Issuer,
  accountId: string,
  preparer: Preparer,
  agents: readonly ListedAgent[],
  request: ExportRequest,
): Promise<IssuedReport> {
  if (request.format === 'pdf') issuer.pdf.requireRoom(accountId);
  // Chosen first: the block time of the report's transaction must be within the validity of the key that signs it.
  const signer = await issuer.signer();
  const reportId = randomUUID();
  const { content, opens, entry } = await readContent(issuer, accountId, preparer, reportId, agents, request);
  await issuer.job?.at('anchoring');
  const { signature, pieces, contentHash, createdAt } = await signAnchored(issuer, signer, reportId, content);
  if (request.format === 'pdf') await issuer.job?.at('drawing');
  const pdf =
    request.format === 'pdf' ? await signedPdf(issuer, signer, await issuer.pdf.draw(accountId, pieces())) : null;
  const pdfSha256 = pdf === null ? null : createHash('sha256').update(pdf).digest('hex');
  await issuer.blobs.put(signature.sha256, pieces());
  if (pdf !== null) await issuer.blobs.put(pdfBlobName(pdfSha256!), [pdf]);
  const agentIds = agents.map(({ id }) => id);
  const stored = storedReport(
    accountId,
    reportId,
    agentIds,
    signature,
    contentHash,
    createdAt,
    request,
    signer.keyId,
    pdfSha256,
    opens,
  );
  const { userId: id, email } = preparer;
  const report = {
    ...stored,
    summary: {
      events: entry.counts.events,
      anchored: entry.counts.anchored,
      issuedBy: { id, email },
      title: issuer.job?.title ?? null,
    },
  };
  const kept = { entry, bodySha256: sha256Of(pieces()) };
  const events = await issuer.recorded(reportIssued(report, preparer.userId, request));
  await (issuer.job?.add(report, kept, events) ?? issuer.store.addReport(report, kept, undefined, events));
  // From here on it can be fetched: the check for erasures precedes every step that may fail.
  await issuer.requireUnerased(report);
  await issuer.flush();
  let bytes = 0;
  for (const piece of pieces()) bytes += piece.length;
  return { report, pieces, bytes, pdf };
}

/** Adds a signature of all other bytes, by the key that signed the package. */
async function signedPdf({ crypto }: Issuer, signer: Signer, drawn: Uint8Array): Promise<Uint8Array> {
  const { message, sign } = withPdfSignature(drawn, signer.keyId, crypto.sha256);
  return sign(await signer.sign(message));
}

interface ReadContent {
  readonly content: readonly Member[];
  readonly opens: readonly OpenedRun[];
  readonly entry: SeriesFacts;
}

/** The content of a package, with the statement of its verdicts. */
async function readContent(
  issuer: Issuer,
  accountId: string,
  preparer: Preparer,
  reportId: string,
  agents: readonly ListedAgent[],
  request: ExportRequest,
): Promise<ReadContent> {
  const { members, few, count, opens, entry } = await builtContent(
    issuer,
    accountId,
    preparer,
    reportId,
    agents,
    request,
  );
  const requireFits = async (all: readonly Member[]): Promise<void> => {
    const bytes = lengthOf(all);
    if (bytes <= MAX_CONTENT_BYTES) return;
    throw await tooLarge(issuer, agents, request, Math.floor((0.9 * MAX_CONTENT_BYTES * count) / bytes));
  };
  await requireFits(members);
  const redecision = await issuer.recomputer.statement(accountId, reportId, few, eventsOf(members));
  if (redecision === null) return { content: members, opens, entry };
  const stated = [...members, memberOf('redecision', redecision)];
  await requireFits(stated);
  return { content: stated, opens, entry };
}

interface BuiltContent {
  readonly members: readonly Member[];
  /** The events of a small package, as objects; `null` for a larger one. */
  readonly few: readonly PackageEvent[] | null;
  readonly count: number;
  readonly opens: readonly OpenedRun[];
  readonly entry: SeriesFacts;
}

const eventsOf = (members: readonly Member[]): Member => members.find(({ name }) => name === 'events')!;

/** Returns the content in canonical form; the objects that it was built from are much larger and are freed here. */
async function builtContent(
  issuer: Issuer,
  accountId: string,
  preparer: Preparer,
  reportId: string,
  agents: readonly ListedAgent[],
  request: ExportRequest,
): Promise<BuiltContent> {
  await issuer.job?.at('reading');
  const runs = await collectAll(issuer, agents, request);
  await issuer.job?.at('proving');
  issuer.recomputer.requireRoom(
    accountId,
    runs.reduce((sum, { events }) => sum + events.length, 0),
  );
  const scope = await issuer.store.scope(accountId);
  const content = await buildContent(
    {
      reportId,
      request,
      agents,
      runs,
      referring: await collectReferring(issuer.archive, runs),
      referred: await collectReferred(issuer.archive, runs),
      scope,
      anchorAuthorities: await issuer.authorities(),
      generatorVersion: issuer.generatorVersion,
      audit: auditOf(preparer, scope, issuer.mapping.version),
    },
    issuer.mapping,
    issuer.proofs,
    issuer.crypto,
  );
  const { events } = content;
  const members = canonicalMembers(content);
  return {
    members,
    few: issuer.recomputer.isSmall(events.length, eventsOf(members)) ? events : null,
    count: events.length,
    opens: openedRuns(events),
    entry: seriesFacts(content, issuer.crypto.sha256),
  };
}

async function collectAll(
  issuer: Issuer,
  agents: readonly { readonly id: string }[],
  request: ExportRequest,
): Promise<readonly AgentRun[]> {
  const runs: AgentRun[] = [];
  let budget = MAX_EVENTS;
  for (const { id } of agents) {
    try {
      const run = await collectRun(issuer.archive, id, request.from, request.to, budget);
      budget -= run.events.length;
      runs.push(run);
    } catch (error) {
      if (error instanceof TooManyEvents) throw await tooLarge(issuer, agents, request, Math.floor(MAX_EVENTS / 2));
      throw error;
    }
  }
  return runs;
}

async function tooLarge(
  issuer: Issuer,
  agents: readonly { readonly id: string }[],
  request: ExportRequest,
  maxEvents: number,
): Promise<PackageTooLarge> {
  const to = await fittingRange(
    issuer.archive,
    agents.map(({ id }) => id),
    request.from,
    request.to,
    maxEvents,
  );
  const advice = to === null ? 'name fewer agents or a later from' : `from ${request.from} to ${to} fits`;
  return new PackageTooLarge(`the package would be larger than 60 MiB: ${advice}`, maxEvents);
}

/** @param fittingEvents how many events fit, as far as it is known */
export class PackageTooLarge extends HttpRefusal {
  constructor(
    message: string,
    readonly fittingEvents: number,
  ) {
    super(400, message);
  }
}

function storedReport(
  accountId: string,
  id: string,
  agentIds: readonly string[],
  { sha256, signature }: PackageSignature,
  contentHash: string,
  createdAt: string,
  request: ExportRequest,
  keyId: string,
  pdfSha256: string | null,
  opens: readonly OpenedRun[],
): StoredReport {
  return {
    id,
    version: 1,
    agentIds,
    opens,
    from: request.from,
    to: request.to,
    facts: {
      accountId,
      createdAt,
      format: request.format,
      frameworks: request.frameworks,
      public: false,
      sha256,
      contentHash,
      signature,
      keyId,
      pdfSha256,
      withdrawn: null,
    },
  };
}

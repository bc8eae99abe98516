import type { AnchorAuthority, ReportFacts } from '@countersign/contracts';
import {
  JsonRefused,
  parseJsonStrict,
  toHex,
  transactionsToAsk,
  VERIFICATION_LIMITS,
  verifyPackage,
  type ChainAnswer,
  type ChainFacts,
  type VerificationKey,
} from '@countersign/evidence';
import type { ReportInspection, StoredReport } from '@countersign/reporting';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { LAYOUT } from './layout.js';
import type { LedgerView } from './ledger-view.js';
import type { Check } from './report.js';

/** Inputs of the verification: the published keys, and the ledger where it is available. */
export interface Witnesses {
  readonly keys: readonly VerificationKey[];
  readonly ledger: LedgerView | null;
  readonly authorities: readonly AnchorAuthority[];
}

/** Where packages lie under their hashes. */
export interface Packages {
  has(name: string): boolean | Promise<boolean>;
  /** `null`: it is larger than any package. */
  read(name: string): Uint8Array | null | Promise<Uint8Array | null>;
}

export const MAX_PACKAGE_BYTES = 64 * 1024 * 1024;

/** The package of each report lies under its hash and verifies, its PDF under its own. One at a time is in memory. */
export async function checkReports(
  packages: Packages,
  reports: Pick<ReportInspection, 'reports'>,
  witnesses: Witnesses,
  check: Check,
): Promise<void> {
  for await (const report of reports.reports()) {
    check.examined += 1;
    const { id, facts } = report;
    const name = `${LAYOUT.packages}/${facts.sha256}`;
    const wrong = (problem: string): void => check.wrong(`${name} (report ${id})`, problem);
    const there = await packages.has(facts.sha256);
    if (facts.withdrawn !== null) {
      if (there) wrong('it was withdrawn and its package is still there');
    } else if (!there) wrong('the package is missing');
    else {
      const bytes = await packages.read(facts.sha256);
      if (bytes === null) wrong('it is larger than any package');
      else await checkPackage(bytes, id, report, witnesses, wrong);
    }
    await checkPdf(packages, id, facts, check);
  }
}

async function checkPdf(packages: Packages, id: string, facts: ReportFacts, check: Check): Promise<void> {
  if (facts.pdfSha256 === null) return;
  const name = `${facts.pdfSha256}.pdf`;
  const wrong = (problem: string): void => check.wrong(`${LAYOUT.packages}/${name} (report ${id})`, problem);
  const there = await packages.has(name);
  if (facts.withdrawn !== null) {
    if (there) wrong('it was withdrawn and its PDF is still there');
    return;
  }
  if (!there) return wrong('the PDF is missing');
  const bytes = await packages.read(name);
  if (bytes === null) wrong('it is larger than any PDF of a report');
  else if (toHex(nodeCrypto.sha256(bytes)) !== facts.pdfSha256) wrong('its bytes are not those that were issued');
}

async function checkPackage(
  bytes: Uint8Array,
  id: string,
  report: StoredReport,
  witnesses: Witnesses,
  wrong: (problem: string) => void,
): Promise<void> {
  let parsed: unknown;
  try {
    parsed = parseJsonStrict(bytes, VERIFICATION_LIMITS);
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    return wrong(`it is not the JSON of a package: ${error.message}`);
  }
  const result = verifyPackage(parsed, {
    crypto: nodeCrypto,
    keys: witnesses.keys,
    chain: await chainFacts(parsed, witnesses),
  });
  for (const { code, path, message } of result.problems)
    wrong(`${path === '' ? 'package' : path}: ${message} [${code}]`);
  const { facts } = report;
  const { reportId, signature } = parsed as { reportId?: unknown; signature?: unknown };
  if (result.sha256 !== facts.sha256) wrong(`its canonical bytes hash to ${String(result.sha256)}`);
  if (result.contentHash !== facts.contentHash) wrong('its content hash is not the one that was anchored');
  if (reportId !== id) wrong('it is the package of another report');
  if (signature !== facts.signature) wrong('its signature is not the one that was issued');
  if (!result.signature.valid && result.problems.length === 0)
    wrong(`its signature was not judged: ${result.signature.detail}`);
  if (result.problems.length === 0) compareContents(parsed as PackageContents, report, wrong);
}

interface PackageContents {
  readonly range: { readonly from: string; readonly to: string };
  readonly agents: readonly { readonly id: string }[];
}

/** Members by which an erasure finds reports: a range, and agents that it may open. */
function compareContents(
  { range, agents }: PackageContents,
  { from, to, agentIds, facts: { createdAt } }: StoredReport,
  wrong: (problem: string) => void,
): void {
  // A restore took it from the topic alone: the agents that it opens are not known.
  if (agentIds.length === 0 && from === createdAt) return;
  if (Date.parse(range.from) !== Date.parse(from) || Date.parse(range.to) !== Date.parse(to))
    wrong('its range is not the one that the store names');
  const missing = agents.find(({ id }) => !agentIds.includes(id));
  if (missing !== undefined) wrong(`the store does not name its agent ${missing.id}`);
}

async function chainFacts(parsed: unknown, { ledger, authorities }: Witnesses): Promise<ChainFacts | null> {
  if (ledger === null) return null;
  const transactions = new Map<string, ChainAnswer>();
  for (const { txSignature, network } of transactionsToAsk(parsed)) {
    if (network !== ledger.network) continue;
    const found = await ledger.transaction(txSignature);
    transactions.set(
      txSignature,
      found === null
        ? 'not-found'
        : {
            succeeded: found.succeeded,
            finalized: true,
            signers: found.signers,
            memos: found.memos,
            blockTime: found.blockTime === null ? null : new Date(found.blockTime * 1000).toISOString(),
            blockHeight: found.blockHeight,
            slot: found.slot,
            confirmations: null,
          },
    );
  }
  return { network: ledger.network, transactions, authorities: authorities.length === 0 ? null : authorities };
}

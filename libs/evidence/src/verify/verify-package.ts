import type { SignedPackage } from '@countersign/contracts';
import { reportMemo } from '../chain/memo.js';
import { NotCanonical } from '../json/canonicalize.js';
import { packageDigests, type PackageDigests } from '../package/canonical.js';
import { isRecord } from '../reading.js';
import { checkReportAnchor, type ChainVerdict, networkNotes, unchecked } from './chain-check.js';
import { checkSequences, countWindows } from './completeness.js';
import { counted, Findings } from './findings.js';
import type { ChainFacts, VerifyOptions } from './options.js';
import { checkEntries, VerdictCache } from './package-entries.js';
import { packageShape } from './package-shape.js';
import {
  checkSignature,
  checkValidity,
  readSignatureClaim,
  type SignatureClaim,
  type SignatureVerdict,
} from './package-signature.js';
import { checkStatuses } from './package-status.js';
import { checkTimes } from './package-times.js';
import { checkWalk } from './check-walk.js';
import { checkWindows } from './package-windows.js';
import { type EventResult, UNVOUCHED, type VerificationResult, type Vouched } from './result.js';

/** A package whose signature has been checked, and nothing else yet. */
export interface OpenedPackage {
  /**
   * The result where no given key signed this: then its trees are not verified and the chain is not queried. `null`:
   * the signature holds, or no key was given.
   */
  readonly refused: VerificationResult | null;
  /** The rest of the verification, with the chain's answers. To be called once. */
  finish(chain: ChainFacts | null): VerificationResult;
}

/**
 * The whole verification of a signed package, as `FORMAT.md` describes it, from the package, the keys and the given
 * chain look-ups: it does no I/O, and trusts nothing in the package about keys and authorities. Never throws, whatever
 * `input` is; parse it with {@link parseJsonStrict} and `VERIFICATION_LIMITS`.
 */
export function verifyPackage(input: unknown, options: VerifyOptions): VerificationResult {
  return openPackage(input, options).finish(options.chain);
}

/** {@link verifyPackage} in two steps: the signature, then everything else. */
export function openPackage(input: unknown, options: Omit<VerifyOptions, 'chain'>): OpenedPackage {
  const findings = new Findings();
  const start = readSigned(input, '1.0.0', options, findings);
  if (start === null) {
    const refused = result(findings, NO_SIGNATURE, null, null, [], null);
    return { refused, finish: () => refused };
  }
  const { claim, digests } = start;
  const signature = claim === null ? NO_SIGNATURE : checkSignature(claim, digests.bytes, options, findings);
  if (claim !== null && claim.sha256 !== digests.sha256) {
    findings.problem('sha256-differs', 'sha256', 'The SHA-256 of the canonical bytes is another one.');
  } else if (claim !== null) findings.checked.push('the SHA-256 of the canonical bytes');
  const holds = signature.valid || (options.keys === null && claim !== null);
  return {
    refused: holds ? null : result(findings, signature, claim, digests, [], null),
    finish: (chain) => checkContent(start, signature, { ...options, chain }, findings),
  };
}

function checkContent(
  { pkg, digests, claim }: Readable,
  signed: SignatureVerdict,
  options: VerifyOptions,
  findings: Findings,
): VerificationResult {
  const fault = packageShape(pkg);
  if (fault !== null) {
    const path = fault.path.replace(/^\./, '');
    findings.problem('structure', path, `${path === '' ? 'The package' : path} must be ${fault.form}.`);
    return result(findings, signed, claim, digests, [], null);
  }
  // Every field except leaf events and proofs has its form now; those are read individually.
  const content = pkg as unknown as SignedPackage;
  findings.checked.push('the form of every field');

  const report = checkReport(content, digests.contentHash, options, findings);
  const signature = checkValidity(signed, report.blockTime, findings);
  const cache = new VerdictCache(options);
  const { entries, results } = checkEntries(content, options, cache, findings);
  const runs = checkSequences(content, entries, findings);
  checkWindows(content, entries, options, cache, findings);
  const windowTimes = checkTimes(content, entries, cache, findings);
  checkWalk(content, options.chain, report.blockTime, options, findings);
  const completeness = countWindows(content, runs, findings);
  checkStatuses(content, entries, findings);
  tellProofs(results, findings);
  const anchors = [...cache.anchors(), ...(content.timestamp.anchor === 'pending' ? [] : [report])];
  tellAnchors(anchors, options, findings);
  const vouched = findings.clean ? vouchers(signature, report.blockTime, anchors) : UNVOUCHED;
  return { ...result(findings, signature, claim, digests, results, report), completeness, windowTimes, vouched };
}

/** @param provenTime block time of the report's transaction; `null`: not proven */
export function vouchers(
  { valid, key }: SignatureVerdict,
  provenTime: string | null,
  anchors: readonly ChainVerdict[],
): Vouched {
  const ends = key !== null && (key.status === 'retired' || key.validTo !== null);
  return {
    issuer: valid && (!ends || provenTime !== null),
    anchor: anchors.length > 0 && anchors.every(({ authorityChecked }) => authorityChecked),
  };
}

/** Of a file without a readable signature. */
export const NO_SIGNATURE: SignatureVerdict = { checked: false, valid: false, detail: 'Nothing to check.', key: null };

/** A signed file with its hashes, before its form is checked. */
export interface Readable {
  readonly pkg: Readonly<Record<string, unknown>>;
  readonly digests: PackageDigests;
  readonly claim: SignatureClaim | null;
}

/** Checks that must hold before any other. `null`: they do not. */
export function readSigned(
  input: unknown,
  schemaVersion: string,
  { crypto }: Pick<VerifyOptions, 'crypto'>,
  findings: Findings,
): Readable | null {
  if (!isRecord(input)) {
    findings.problem('structure', '', 'A package must be a JSON object.');
    return null;
  }
  if (input['canonicalization'] !== 'rfc8785-jcs') {
    findings.problem('unsupported-canonicalization', 'canonicalization', 'canonicalization must be "rfc8785-jcs".');
    return null;
  }
  if (input['schemaVersion'] !== schemaVersion) {
    findings.problem('unsupported-schema', 'schemaVersion', `schemaVersion must be "${schemaVersion}".`);
    return null;
  }
  try {
    const digests = packageDigests(input, crypto.sha256);
    findings.checked.push('the canonicalization and the schema version');
    return { pkg: input, digests, claim: readSignatureClaim(input, findings) };
  } catch (error) {
    if (!(error instanceof NotCanonical)) throw error;
    findings.problem('not-canonical', '', `The package has no canonical form: ${error.message}.`);
    return null;
  }
}

/** Checks that a file names its content hash, and the transaction that anchors it. */
export function checkReport(
  pkg: Pick<SignedPackage, 'timestamp'>,
  contentHash: string,
  { chain }: Pick<VerifyOptions, 'chain'>,
  findings: Findings,
): ChainVerdict {
  const { timestamp } = pkg;
  if (timestamp.message === reportMemo(contentHash)) findings.checked.push('the content hash that the report anchors');
  else {
    const message = 'The message does not name the content hash of the package.';
    findings.problem('content-hash-differs', 'timestamp.message', message);
  }
  if (timestamp.anchor_tx_signature === null) {
    findings.notChecked.push("the report's own anchor: it was issued before one was final");
    return unchecked('The report was issued before its transaction was final.');
  }
  const claim = { txSignature: timestamp.anchor_tx_signature, network: timestamp.anchor, contentHash };
  const verdict = checkReportAnchor(claim, chain);
  if (verdict.problem !== null) {
    findings.problem(verdict.problem.code, 'timestamp.anchor_tx_signature', verdict.problem.message);
  }
  const height = verdict.check.block_height;
  if (verdict.problem === null && height !== null && height !== timestamp.anchor_block_height) {
    const message = 'The chain gives the transaction another block height.';
    findings.problem('transaction-height-differs', 'timestamp.anchor_block_height', message);
  }
  return verdict;
}

function tellProofs(results: readonly EventResult[], findings: Findings): void {
  const anchored = results.filter((event) => event.anchored).length;
  const open = results.length - anchored;
  if (anchored > 0) findings.checked.push(`${counted(anchored, 'inclusion proof')}: both paths to the root`);
  if (open > 0) findings.notChecked.push(`${counted(open, 'event')} not anchored yet: there is nothing to prove`);
}

/** Reports which transactions were checked, and which were not and why. */
export function tellAnchors(
  verdicts: readonly ChainVerdict[],
  { chain }: Pick<VerifyOptions, 'chain'>,
  findings: Findings,
): void {
  if (verdicts.length === 0) return;
  const checked = verdicts.filter(({ check }) => check.checked);
  if (checked.length > 0) findings.checked.push(`${counted(checked.length, 'transaction')} on ${chain!.network}`);
  const left = verdicts.length - checked.length;
  if (left > 0) {
    const reasons = [...new Set(verdicts.filter(({ check }) => !check.checked).map(({ check }) => check.detail))];
    findings.notChecked.push(`${counted(left, 'transaction')} on the chain: ${reasons.join(' ')}`);
  }
  if (checked.length > 0 && chain!.authorities === null) {
    findings.notChecked.push('who anchored: no authority was given');
  }
  if (checked.length > 0) findings.notChecked.push(...networkNotes(chain!));
}

function result(
  findings: Findings,
  signature: SignatureVerdict,
  claim: SignatureClaim | null,
  digests: PackageDigests | null,
  events: readonly EventResult[],
  report: ChainVerdict | null,
): VerificationResult {
  const anchoredCount = events.filter((event) => event.anchored).length;
  return {
    ok: findings.clean,
    vouched: UNVOUCHED,
    signature: {
      checked: signature.checked,
      valid: signature.valid,
      keyId: claim?.keyId ?? null,
      detail: signature.detail,
      provenTime: report?.blockTime ?? null,
    },
    sha256: digests?.sha256 ?? null,
    contentHash: digests?.contentHash ?? null,
    events,
    completeness: [],
    windowTimes: [],
    unsettled: [...findings.unsettled],
    anchoredCount,
    unanchoredCount: events.length - anchoredCount,
    chain: (report ?? unchecked('No chain was asked.')).check,
    checked: [...findings.checked],
    notChecked: [...findings.notChecked],
    problems: [...findings.problems],
    problemCount: findings.problemCount,
  };
}

import { readFile, stat } from 'node:fs/promises';
import {
  claimsAbsence,
  checkPdfPages,
  isPdf,
  JsonRefused,
  keyId,
  parseJsonStrict,
  publicKeyFromPem,
  VERIFICATION_LIMITS,
  verifyAbsence,
  verifyPackage,
  WALK_BOUND,
  type AbsenceResult,
  type ChainFacts,
  type PdfPages,
  type PdfSignature,
  type VerificationKey,
  type VerificationResult,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { Redecision } from '@countersign/redecide';
import { isBase58Of } from '@countersign/chain';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { askNetworks } from './ask-networks.js';
import { describeAbsence, describePackage } from './describe-package.js';
import { keysInSet } from './key-set-file.js';
import { packageInPdf } from './package-in-pdf.js';
import { redecideVerified, worseCode } from './redecide-file.js';

/** Input of the verifier; nothing else is trusted. */
export interface VerifyRequest {
  readonly file: string;
  /** PEM text, or files of PEM or of a JWK set. */
  readonly keys: readonly string[];
  readonly rpcUrls: readonly string[];
  /** Anchoring authorities (base58). */
  readonly authorities: readonly string[];
  /** Files with proofs of absence, for windows that the package does not list. */
  readonly absences?: readonly string[];
  /** Maximum number of transactions listed for each authority; default {@link WALK_BOUND}. */
  readonly walkBound?: number;
  /** Compute every verdict of the package again. */
  readonly redecide?: boolean;
}

export interface VerifyReport {
  readonly exitCode: number;
  /** `null`: the file is neither a package nor a proof of absence. */
  readonly result: VerificationResult | AbsenceResult | null;
  /** Facts of the package for the reader, unverified where `result` says so. */
  readonly title: readonly string[];
  readonly notChecked: readonly string[];
  /** One line each, the most important problem first. */
  readonly problems: readonly string[];
  /** Where it was asked for; `null`: its events or openings are not what they claim to be. */
  readonly redecision?: Redecision | null;
}

const MAX_BYTES = 64 * 1024 * 1024;
/** Allows for the pages in addition to the package: one line per event. */
const MAX_PDF_BYTES = 256 * 1024 * 1024;
const BARE_KEY =
  'whether the key was revoked: the key alone does not say, its issuer does (GET /v1/keys, or a saved /.well-known/jwks.json as --key)';

/**
 * Verifies a package from its file alone, with the given keys and chain.
 * @throws CommandFailed 64 if the file or a key cannot be read, or an address is invalid
 */
export async function verifyFile(request: VerifyRequest): Promise<VerifyReport> {
  checkAddresses(request);
  const keys = await readKeys(request.keys);
  const parsed = await readPackage(request.file);
  if (typeof parsed === 'string')
    return { exitCode: EXIT.wrong, result: null, title: [], notChecked: [], problems: [parsed] };
  const absences = (await Promise.all((request.absences ?? []).map(readAbsences))).flat();
  const chain = await chainFacts(parsed.value, absences, request);
  if (parsed.pdf === null && claimsAbsence(parsed.value)) {
    if (request.redecide === true)
      throw new CommandFailed(EXIT.usage, '--redecide needs a package: a proof of absence has no verdicts');
    return absenceReport(parsed.value, chain);
  }
  const result = verifyPackage(parsed.value, { crypto: nodeCrypto, keys, chain, absences });
  const pages = parsed.pdf === null ? null : pagesOf(parsed.pdf, parsed.value, keys);
  const whole = pages === null ? result : withPages(result, pages);
  const unsettled = pages !== null && pages.verdict !== 'issued';
  const verified = exitCode(whole, request);
  const code = verified === EXIT.holds && unsettled ? EXIT.unchecked : verified;
  const redecision = request.redecide === true ? { redecision: redecideVerified(parsed.value, result) } : {};
  return {
    exitCode: redecision.redecision === undefined ? code : worseCode(code, redecision.redecision),
    ...redecision,
    result: whole,
    title: describePackage(parsed.value),
    notChecked: [...whole.notChecked, ...(signerOf(result, keys)?.validFrom === null ? [BARE_KEY] : [])],
    problems: problemLines(whole.problems, 'package'),
  };
}

function pagesOf({ bytes, signature }: PdfFile, pkg: unknown, keys: readonly VerificationKey[] | null): PdfPages {
  return checkPdfPages(bytes, signature, pkg, { crypto: nodeCrypto, keys });
}

/** Adds the result for the pages; their problems come first, since the pages are what a reader sees. */
function withPages(result: VerificationResult, pages: PdfPages): VerificationResult {
  const { problems } = pages;
  return {
    ...result,
    ok: result.ok && problems.length === 0,
    checked: [...result.checked, ...pages.checked],
    notChecked: [...result.notChecked, ...pages.notChecked],
    problems: [...problems, ...result.problems],
    problemCount: result.problemCount + problems.length,
  };
}

async function chainFacts(
  subject: unknown,
  absences: readonly unknown[],
  { rpcUrls, authorities, walkBound = WALK_BOUND }: VerifyRequest,
): Promise<ChainFacts | null> {
  return rpcUrls.length === 0 ? null : askNetworks({ subject, absences, rpcUrls, authorities, walkBound });
}

/** A proof of absence is not signed: it rests on the chain and on who anchored. */
function absenceReport(proof: unknown, chain: ChainFacts | null): VerifyReport {
  const result = verifyAbsence(proof, { crypto: nodeCrypto, chain });
  return {
    exitCode: !result.ok ? EXIT.wrong : result.vouched.anchor ? EXIT.holds : EXIT.unchecked,
    result,
    title: result.agentId === null ? [] : describeAbsence(result),
    notChecked: result.notChecked,
    problems: problemLines(result.problems, 'proof'),
  };
}

function problemLines(problems: VerificationResult['problems'], whole: string): readonly string[] {
  return problems.map(({ code, path, message }) => `${path === '' ? whole : path}: ${message} [${code}]`);
}

/** A chain that was not asked for is not required; one that was must vouch, and leave nothing open. */
function exitCode({ ok, vouched, unsettled }: VerificationResult, { rpcUrls }: VerifyRequest): number {
  if (!ok) return EXIT.wrong;
  return vouched.issuer && (rpcUrls.length === 0 || (vouched.anchor && unsettled.length === 0))
    ? EXIT.holds
    : EXIT.unchecked;
}

/** The given key that the package says it is signed with. */
function signerOf({ signature }: VerificationResult, keys: readonly VerificationKey[] | null): VerificationKey | null {
  return keys?.find(({ publicKey }) => keyId(publicKey, nodeCrypto.sha256) === signature.keyId) ?? null;
}

function checkAddresses(request: VerifyRequest): void {
  const { rpcUrls, authorities } = request;
  for (const url of rpcUrls) {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
      throw new CommandFailed(EXIT.usage, `--rpc must be an http:// or https:// address, not ${url}`);
  }
  for (const address of authorities) {
    if (!isBase58Of(address, 32))
      throw new CommandFailed(EXIT.usage, `--authority must be a Solana address, not ${address}`);
  }
  if ((request.absences ?? []).length > 0 && authorities.length === 0)
    throw new CommandFailed(EXIT.usage, '--absence needs --rpc and --authority: the chain vouches for what it proves');
  if (authorities.length > 0 && rpcUrls.length === 0)
    throw new CommandFailed(EXIT.usage, '--authority needs --rpc: who anchored is read from the chain');
}

/** `null` if none is given. @throws CommandFailed 64 if one cannot be read */
export async function readKeys(given: readonly string[]): Promise<readonly VerificationKey[] | null> {
  if (given.length === 0) return null;
  const read = await Promise.all(
    given.map(async (source) => {
      const text = source.includes('BEGIN PUBLIC KEY') ? source : await readText(source, 'key');
      const publicKey = publicKeyFromPem(text);
      if (publicKey !== null) return [{ publicKey, status: 'active' as const, validFrom: null, validTo: null }];
      const keys = keysInSet(text);
      if (keys === null) {
        throw new CommandFailed(EXIT.usage, `${source} is neither an Ed25519 public key in PEM nor a JWK set with one`);
      }
      return keys;
    }),
  );
  return read.flat();
}

/** Reads the proofs of a file: one, or a list as `admin prove-absence --from` writes it. @throws CommandFailed 64 */
async function readAbsences(file: string): Promise<readonly unknown[]> {
  const found = await readPackage(file);
  if (typeof found !== 'string') {
    if (Array.isArray(found.value)) return found.value as readonly unknown[];
    if (claimsAbsence(found.value)) return [found.value];
  }
  throw new CommandFailed(EXIT.usage, `${file} holds no proofs of absence`);
}

async function readText(file: string, what: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    throw new CommandFailed(EXIT.usage, `cannot read the ${what} ${file}`);
  }
}

interface PdfFile {
  readonly bytes: Uint8Array;
  readonly signature: PdfSignature | null;
}

/**
 * Reads and parses the package of a file; returns the problem as text.
 * @throws CommandFailed 64 if the file cannot be read
 */
export async function readPackage(
  file: string,
): Promise<{ readonly value: unknown; readonly pdf: PdfFile | null } | string> {
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile()) throw new CommandFailed(EXIT.usage, `cannot read the file ${file}`);
  if (found.size > MAX_PDF_BYTES) return 'The file is larger than 256 MiB: no report is.';
  const bytes = await readFile(file);
  const carried = isPdf(bytes) ? packageInPdf(bytes) : null;
  if (typeof carried === 'string') return carried;
  const json = carried?.json ?? bytes;
  if (json.length > MAX_BYTES) return 'The package is larger than 64 MiB: none is.';
  try {
    const value = parseJsonStrict(json, VERIFICATION_LIMITS);
    return { value, pdf: carried === null ? null : { bytes, signature: carried.signature } };
  } catch (error) {
    if (error instanceof JsonRefused) return `The file is not the JSON of a package: ${error.message}.`;
    throw error;
  }
}

import { readFile, stat } from 'node:fs/promises';
import {
  claimsAbsence,
  claimsSeries,
  checkPdfPages,
  keyId,
  publicKeyFromPem,
  verifyAbsence,
  verifyPackage,
  WALK_BOUND,
  type ChainFacts,
  type PdfPages,
  type SeriesResult,
  type VerificationKey,
  type VerificationResult,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { isBase58Of } from '@countersign/chain';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { askNetworks } from './ask-networks.js';
import { describeAbsence, describePackage } from './describe-package.js';
import { keysInSet } from './key-set-file.js';
import { readPackage, type PdfFile, type ReadPackage } from './read-package.js';
import { redecideVerified, worseCode } from './redecide-file.js';
import { problemLines, withPages, type PackageReport, type VerifyReport } from './verify-report.js';
import { manifestIn, verifySeries } from './verify-series.js';

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

const BARE_KEY =
  'whether the key was revoked: the key alone does not say, its issuer does (GET /v1/keys, or a saved /.well-known/jwks.json as --key)';

/**
 * Verifies a package from its file alone, with the given keys and chain.
 * @throws CommandFailed 64 if the file or a key cannot be read, or an address is invalid
 */
export async function verifyFile(request: VerifyRequest): Promise<VerifyReport> {
  checkAddresses(request);
  const keys = await readKeys(request.keys);
  const absences = (await Promise.all((request.absences ?? []).map(readAbsences))).flat();
  const isFolder = (await stat(request.file).catch(() => null))?.isDirectory() === true;
  const file = isFolder ? await manifestIn(request.file) : request.file;
  const parsed = await readPackage(file);
  if (typeof parsed === 'string') return unreadable(parsed);
  if (claimsSeries(parsed.value)) {
    const opened = { file, value: parsed.value, isFolder };
    const pages = parsed.pdf === null ? null : pagesOf(parsed.pdf, parsed.value, keys);
    return verifySeries(opened, pages, keys, {
      exitCode: (result) => exitCode(result, request),
      chainOf: (subject) => chainFacts(subject, absences, request),
      verifyPackage: async (found) => packageReport(found, keys, absences, request),
    });
  }
  if (isFolder) return unreadable(`${file} is not a series.`);
  if (parsed.pdf === null && claimsAbsence(parsed.value)) {
    if (request.redecide === true)
      throw new CommandFailed(EXIT.usage, '--redecide needs a package: a proof of absence has no verdicts');
    return absenceReport(parsed.value, await chainFacts(parsed.value, absences, request));
  }
  return packageReport(parsed, keys, absences, request);
}

function unreadable(problem: string): VerifyReport {
  return { exitCode: EXIT.wrong, result: null, title: [], notChecked: [], problems: [problem] };
}

/** A package that was read, verified with all that the user gave. */
async function packageReport(
  parsed: ReadPackage,
  keys: readonly VerificationKey[] | null,
  absences: readonly unknown[],
  request: VerifyRequest,
): Promise<PackageReport> {
  const chain = await chainFacts(parsed.value, absences, request);
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

/** A chain that was not asked for is not required; one that was must vouch, and leave nothing open. */
function exitCode(
  { ok, vouched, unsettled }: Pick<VerificationResult | SeriesResult, 'ok' | 'vouched' | 'unsettled'>,
  { rpcUrls }: VerifyRequest,
): number {
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
